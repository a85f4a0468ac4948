"""The URLs that the client of S3 presigns for an object in each bucket of a JSON object on standard input."""
import json
import sys

import botocore.session
from botocore.config import Config

asked = json.load(sys.stdin)
client = botocore.session.Session().create_client(
    "s3",
    region_name="us-east-1",
    aws_access_key_id=asked["accessKeyId"],
    aws_secret_access_key=asked["secretAccessKey"],
    config=Config(signature_version="s3v4"),
)
urls = [
    client.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "a b//c.txt"})
    for bucket in asked["buckets"]
]
json.dump(urls, sys.stdout)
