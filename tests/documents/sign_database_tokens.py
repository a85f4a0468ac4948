"""What botocore gives as the passwords of RDS and of Aurora DSQL, which Debian's does not know, at a time on standard input."""
import datetime
import json
import os
import sys

import botocore.auth as auth
import botocore.session
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

oracle = "../../packages/auth-sigv4/test/oracle"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), oracle))
import freeze

asked = json.load(sys.stdin)
freeze.at = datetime.datetime.strptime(asked["amzDate"], "%Y%m%dT%H%M%SZ")
# Where AWS's library in C is installed, botocore signs by that, and by its clock.
auth.AUTH_TYPE_MAPS["v4-query"] = auth.SigV4QueryAuth
region = "eu-central-1"
rds = botocore.session.Session().create_client(
    "rds",
    region_name=region,
    aws_access_key_id=asked["accessKeyId"],
    aws_secret_access_key=asked["secretAccessKey"],
    aws_session_token=asked["sessionToken"],
)
request = AWSRequest(
    method="GET",
    url="https://abc123.dsql.eu-central-1.on.aws/",
    params={"Action": "DbConnect"},
)
keys = Credentials(asked["accessKeyId"], asked["secretAccessKey"], asked["sessionToken"])
auth.SigV4QueryAuth(keys, "dsql", region, expires=900).add_auth(request)
print(
    json.dumps(
        [
            rds.generate_db_auth_token(
                "reports.abc123.eu-central-1.rds.amazonaws.com", 5432, "reports reader"
            ),
            request.url[len("https://") :],
        ]
    )
)
