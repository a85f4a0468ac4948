"""botocore's Authorization header for each request of a JSON list on standard input.

S3SigV4Auth with a frozen clock; it takes path and query as they are, so it is given the wire form.
"""
import base64
import datetime
import json
import sys
import types

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

at = [None]


class FrozenClock(datetime.datetime):
    @classmethod
    def utcnow(cls):
        return at[0]

    @classmethod
    def now(cls, tz=None):
        return at[0].replace(tzinfo=tz)


botocore.auth.datetime = types.SimpleNamespace(
    datetime=FrozenClock, timedelta=datetime.timedelta, timezone=datetime.timezone
)


class Signer(botocore.auth.S3SigV4Auth):
    def _should_sha256_sign_payload(self, request):
        return True


def sign(case):
    at[0] = datetime.datetime.strptime(case["amzDate"], "%Y%m%dT%H%M%SZ")
    credentials = Credentials(
        case["accessKeyId"], case["secretAccessKey"], case.get("sessionToken")
    )
    request = AWSRequest(
        method=case["method"],
        url=case["url"],
        headers=case["headers"],
        data=base64.b64decode(case["body"]),
    )
    Signer(credentials, "s3", case["region"]).add_auth(request)
    return request.headers["Authorization"]


json.dump([sign(case) for case in json.load(sys.stdin)], sys.stdout)
