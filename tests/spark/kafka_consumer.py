"""Print the keys and values of all messages of a topic as JSON lines: `kafka_consumer.py BROKER JARS TOPIC`."""

from __future__ import annotations

import json
import sys

from tests.spark.kafka_producer import session


def main(broker: str, jars: str, topic: str) -> None:
    found = session(jars).read.format("kafka").options(subscribe=topic, **{"kafka.bootstrap.servers": broker}).load()
    for row in found.selectExpr("cast(key as string) as key", "cast(value as string) as value").collect():
        print(json.dumps([row.key, row.value]))


if __name__ == "__main__":
    main(*sys.argv[1:])
