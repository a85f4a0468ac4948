"""What botocore posts for each policy of a JSON list on standard input: the fields of the form, and its own policy.

The clock is frozen. Beside botocore's own policy, the one that the case gives is signed, since the blanks of two are not
the same.
"""
import base64
import datetime
import json
import sys

import botocore.auth as auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

import freeze


def post(case):
    freeze.at = datetime.datetime.strptime(case["amzDate"], "%Y%m%dT%H%M%SZ")
    keys = (case["accessKeyId"], case["secretAccessKey"], case.get("sessionToken"))
    signer = auth.S3SigV4PostAuth(Credentials(*keys), "s3", case["region"])
    request = AWSRequest(method="POST", url=case["url"])
    request.context["s3-presign-post-fields"] = dict(case["fields"])
    policy = {"expiration": case["expiration"], "conditions": list(case["conditions"])}
    request.context["s3-presign-post-policy"] = policy
    signer.add_auth(request)
    fields = request.context["s3-presign-post-fields"]
    return {
        "fields": fields,
        "policy": json.loads(base64.b64decode(fields["policy"])),
        "signature": signer.signature(case["policy"], request),
    }


json.dump([post(case) for case in json.load(sys.stdin)], sys.stdout)
