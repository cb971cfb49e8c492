"""Print keys and values of the committed messages of a topic as JSON lines: `kafka_consumer.py BROKER JARS TOPIC`."""

from __future__ import annotations

import json
import sys

from tests.spark.kafka_producer import session


def main(broker: str, jars: str, topic: str) -> None:
    asked = {"kafka.bootstrap.servers": broker, "kafka.isolation.level": "read_committed", "subscribe": topic}
    found = session(jars).read.format("kafka").options(**asked).load()
    for row in found.selectExpr("cast(key as string) as key", "cast(value as string) as value").collect():
        print(json.dumps([row.key, row.value]))


if __name__ == "__main__":
    main(*sys.argv[1:])
