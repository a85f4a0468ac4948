"""Prints the URLs of the endpoints that botocore knows, each with the scopes that it signs for, as JSON.

Every service with its regions, with and without FIPS and dual-stack, by the endpoints and by the rules; and the
hosts of S3's buckets and access points.
"""
import itertools
import json
import re
import sys

import botocore
import botocore.session
from botocore.client import ClientEndpointBridge
from botocore.config import Config
from botocore.endpoint_provider import EndpointProvider
from botocore.exceptions import BotoCoreError

session = botocore.session.Session()
loader = session.get_component("data_loader")
resolver = session.get_component("endpoint_resolver")
partition_rules = loader.load_data("partitions")
partitions = loader.load_data("endpoints")["partitions"]
scopes = {}
services = []


def add(url, service, region, prefixes=("",)):
    for prefix in prefixes:
        scopes.setdefault(url.replace("://", f"://{prefix}"), set()).add((service, region))


def prefixes_of(operations):
    """What the operations of a service put before its host, and nothing for those that leave it as it is."""
    found = {operation.get("endpoint", {}).get("hostPrefix", "") for operation in operations}
    # The label is an account, or what the user has named.
    return {re.sub(r"\{\w+\}", "123456789012", prefix) for prefix in found} | {""}


def rules_of(model):
    return EndpointProvider(
        loader.load_service_model(model, "endpoint-rule-set-1"), partition_rules
    )


def regions_of(partition, prefix):
    """The regions that the endpoints name, or all of the partition for a service that they do not name."""
    named = partition["services"].get(prefix, {}).get("endpoints", partition["regions"])
    # A service of the whole partition has an endpoint with a name of its own.
    return [name for name in named if name in partition["regions"] or name.endswith("-global")]


def add_rule(rules, service, region, prefixes=("",), **parameters):
    """Adds the endpoint of the rules; returns False for one that they do not have."""
    try:
        endpoint = rules.resolve_endpoint(**parameters)
    except BotoCoreError:
        return False
    scheme = (endpoint.properties.get("authSchemes") or [{}])[0]
    if scheme.get("name") != "sigv4a":
        add(
            endpoint.url,
            scheme.get("signingName", service),
            scheme.get("signingRegion", region),
            prefixes,
        )
    return True


def add_service(model, metadata, operations):
    prefix = metadata["endpointPrefix"]
    prefixes = prefixes_of(operations)
    rules = rules_of(model)
    for partition in partitions:
        for region in regions_of(partition, prefix):
            for fips, dual in itertools.product((False, True), repeat=2):
                config = Config(use_fips_endpoint=fips, use_dualstack_endpoint=dual)
                bridge = ClientEndpointBridge(
                    resolver, None, config, service_signing_name=metadata.get("signingName")
                )
                try:
                    found = bridge.resolve(prefix, region)
                except BotoCoreError:
                    continue
                scope = (found["signing_name"], found["signing_region"])
                # The endpoints have hosts for FIPS and dual-stack where the partition has none.
                if add_rule(rules, *scope, prefixes, Region=region, UseFIPS=fips, UseDualStack=dual):
                    add(found["endpoint_url"], *scope, prefixes)


def add_buckets():
    rules = rules_of("s3")
    regions = ["us-east-1", "eu-west-1", "us-gov-west-1", "us-iso-east-1", "us-isob-east-1"]
    arn = "arn:{}:{}:{}:123456789012:{}"
    for region in [*regions, "cn-north-1", "aws-global"]:
        cloud = {"cn-north-1": "aws-cn", "us-gov-west-1": "aws-us-gov"}.get(region, "aws")
        where = (cloud, "s3", region)
        outpost = "outpost/op-01ac5d28a6a232904/accesspoint/point"
        buckets = [
            *["bucket", "a.b-c.d", "fips.dualstack", "us-east-1", "a-fips", "s3"],
            arn.format(*where, "accesspoint/point"),
            arn.format(cloud, "s3-outposts", region, outpost),
            arn.format(cloud, "s3-object-lambda", region, "accesspoint/point"),
        ]
        for bucket in buckets:
            for fips, dual, fast, by_path in itertools.product((False, True), repeat=4):
                add_rule(
                    *(rules, "s3", region),
                    Bucket=bucket,
                    Region=region,
                    UseFIPS=fips,
                    UseDualStack=dual,
                    Accelerate=fast,
                    ForcePathStyle=by_path,
                )
    control = rules_of("s3control")
    for region, fips, dual in itertools.product(regions, (False, True), (False, True)):
        add_rule(
            *(control, "s3", region),
            AccountId="123456789012",
            RequiresAccountId=True,
            Region=region,
            UseFIPS=fips,
            UseDualStack=dual,
        )


for name in loader.list_available_services("service-2"):
    model = loader.load_service_model(name, "service-2")
    described = model["metadata"]
    services.append(name)
    operations = model["operations"].values()
    # The portal of SSO and its OIDC sign no operation.
    is_signed = any(operation.get("authtype") != "none" for operation in operations)
    # The others are SimpleDB and Import/Export, of version 2, and CodeCatalyst, which takes tokens.
    if is_signed and described["signatureVersion"] in ("v4", "s3", "s3v4"):
        add_service(name, described, operations)
add_buckets()
output = {"version": botocore.__version__, "services": services}
json.dump({**output, "scopes": {url: sorted(found) for url, found in scopes.items()}}, sys.stdout)
