"""Prints the keys that botocore finds in each environment, read as JSON from the standard input."""
import getpass
import json
import os
import sys


def ask(*_args):
    raise EOFError('nobody is there')


# Before botocore takes it for its own.
getpass.getpass = ask

import botocore.credentials
import botocore.session
import botocore.tokens
found = []
for case in json.load(sys.stdin):
    os.environ.clear()
    os.environ.update(case['variables'])
    origin = case['variables']['AWS_ENDPOINT_URL']
    cache = os.path.join(case['home'], '.aws', 'sso', 'cache')
    botocore.credentials.SSOProvider._SSO_TOKEN_CACHE_DIR = cache
    botocore.tokens.SSOTokenProvider._SSO_TOKEN_CACHE_DIR = cache
    # It pauses for seconds before it asks a container anew.
    botocore.utils.ContainerMetadataFetcher.SLEEP_TIME = 0
    try:
        session = botocore.session.Session(profile=case.get('profile'))
        create = session.create_client

        def create_client(name, *args, create=create, **kwargs):
            # Of a version before AWS_ENDPOINT_URL.
            return create(name, *args, **{**kwargs, 'endpoint_url': origin})

        session.create_client = create_client
        credentials = session.get_credentials()
        if credentials is None:
            found.append({'error': 'none'})
            continue
        key = credentials.get_frozen_credentials()
        found.append(
            {
                'accessKeyId': key.access_key,
                'secretAccessKey': key.secret_key,
                **({'sessionToken': key.token} if key.token else {}),
            }
        )
    except Exception as error:
        found.append({'error': f'{type(error).__name__}: {error}'})
print(json.dumps(found))
