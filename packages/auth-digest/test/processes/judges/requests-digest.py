"""Sends one request with Digest by the library requests, and prints its status."""

import sys

import requests
from requests.auth import HTTPDigestAuth

method, url, user, password, body = sys.argv[1:]
print(requests.request(method, url, data=body or None, auth=HTTPDigestAuth(user, password)).status_code)
