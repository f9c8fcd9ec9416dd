"""Transactions: side by side with Apache Kafka, with published clients, under stress, and through crashes."""
