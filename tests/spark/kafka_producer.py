"""Write lines of standard input to a topic until it ends: `kafka_producer.py BROKER JARS TOPIC`.

A line is a partition, a blank and a message. A blank line writes the lines before it, and is answered with `written`.
Other lines ask for something else, with brokers in JSON: `create TOPIC [[1, 2], [2, 1]]` makes a topic, `extend TOPIC
[[1]]` adds partitions to one, `leaders TOPIC []` asks which brokers lead its partitions, and `delete TOPIC []` deletes
it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession

from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER


def session(jars: str) -> SparkSession:
    """A small session with the connector."""
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "512m",
        "spark.jars": jars,
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        **WITHOUT_COMPILER,
    }
    spark = SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    return spark


def main(broker: str, jars: str, topic: str) -> None:
    spark = session(jars)
    rows: list[tuple[int, str]] = []
    for line in sys.stdin:
        first, _, message = line.rstrip("\n").partition(" ")
        if first in ("create", "extend", "leaders", "delete"):
            name, _, brokers = message.partition(" ")
            print(asked(spark, broker, first, name, json.loads(brokers)), flush=True)
        elif message:
            rows.append((int(first), message))
        else:
            frame = spark.createDataFrame(rows, "partition int, value string").coalesce(1)
            frame.write.format("kafka").options(topic=topic, **{"kafka.bootstrap.servers": broker}).save()
            rows.clear()
            print("written", flush=True)


def asked(spark: SparkSession, broker: str, what: str, topic: str, brokers: list[list[int]]) -> str:
    """The answer to a request about a topic."""
    context: Any = spark.sparkContext
    jvm = context._jvm
    classes, lists = jvm.org.apache.kafka.clients.admin, jvm.java.util
    settings = lists.HashMap()
    settings.put("bootstrap.servers", broker)
    admin = classes.Admin.create(settings)
    try:
        if what == "create":
            placed = lists.HashMap()
            for partition, replicas in enumerate(brokers):
                placed.put(partition, _listed(lists, replicas))
            admin.createTopics(_listed(lists, [classes.NewTopic(topic, placed)])).all().get()
            return "created"
        known = admin.describeTopics(_listed(lists, [topic])).allTopicNames().get().get(topic).partitions()
        if what == "leaders":
            return json.dumps([each.leader().id() for each in known])
        if what == "delete":
            admin.deleteTopics(_listed(lists, [topic])).all().get()
            return "deleted"
        more = lists.HashMap()
        added = _listed(lists, [_listed(lists, replicas) for replicas in brokers])
        more.put(topic, classes.NewPartitions.increaseTo(known.size() + len(brokers), added))
        admin.createPartitions(more).all().get()
        return "extended"
    finally:
        admin.close()


def _listed(lists: Any, items: list[Any]) -> Any:
    found = lists.ArrayList()
    for each in items:
        found.add(each)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
