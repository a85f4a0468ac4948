"""Freezes the clock of botocore's signatures at `at`."""
import datetime
import types

import botocore.auth as auth

at = None


class FrozenClock(datetime.datetime):
    @classmethod
    def utcnow(cls):
        return at

    @classmethod
    def now(cls, tz=None):
        return at.replace(tzinfo=tz)


auth.datetime = types.SimpleNamespace(
    datetime=FrozenClock, timedelta=datetime.timedelta, timezone=datetime.timezone
)
