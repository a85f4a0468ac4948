"""What botocore signs of each request of a JSON list on standard input, for any service.

A case with expiresInSeconds is a URL to presign and gives its query, without it the Authorization header.
The clock is frozen, and the payload is signed or not as the case says; everything else is stock.
"""
import base64
import datetime
import json
import sys
from urllib.parse import urlsplit

import botocore.auth as auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

import freeze


def signer(case, credentials):
    is_s3 = case["service"] == "s3"
    scope = (credentials, case["service"], case["region"])
    if "expiresInSeconds" in case:
        stock = auth.S3SigV4QueryAuth if is_s3 else auth.SigV4QueryAuth
        return stock(*scope, expires=case["expiresInSeconds"])
    stock = auth.S3SigV4Auth if is_s3 else auth.SigV4Auth

    class Signer(stock):
        def _should_sha256_sign_payload(self, request):
            return case["isPayloadSigned"]

    return Signer(*scope)


def sign(case):
    freeze.at = datetime.datetime.strptime(case["amzDate"], "%Y%m%dT%H%M%SZ")
    credentials = Credentials(
        case["accessKeyId"], case["secretAccessKey"], case.get("sessionToken")
    )
    request = AWSRequest(
        method=case["method"],
        url=case["url"],
        headers=case["headers"],
        data=base64.b64decode(case["body"]),
    )
    signer(case, credentials).add_auth(request)
    if "expiresInSeconds" in case:
        return urlsplit(request.url).query
    return request.headers["Authorization"]


json.dump([sign(case) for case in json.load(sys.stdin)], sys.stdout)
