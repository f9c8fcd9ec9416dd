"""`wirebroker transactions` beside kafka-transactions.sh, on one broker: the same tables to the last tab."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.conftest import unique_name
from compat_tests.versions import KAFKA
from compat_tests.wire import ask
from tools.jvm.kafka import SMALL_JVM

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker
    from tools.jvm.kafka import KafkaDist
