import { postgresCdcToFile, postgresCdcToKafka } from "./cdc.ts";
import { fileToFile, fileToFileOnce } from "./file-to-file.ts";
import { httpToKafka, kafkaToHttp } from "./http.ts";
import { fileToKafka, kafkaToKafka, kafkaToKafkaOnce } from "./kafka.ts";
import { mysqlCdcToFile } from "./mysql-cdc.ts";
import { kafkaToNats, natsToFile, natsToKafka } from "./nats.ts";
import type { Pair } from "./pair.ts";
import { fileToPostgres, postgresQueueToFile, postgresToKafka, sqliteToSqlite } from "./sql.ts";

export const pairs: readonly Pair[] = [
  ...[fileToFile, fileToFileOnce],
  ...[fileToKafka, kafkaToKafka, kafkaToKafkaOnce],
  ...[kafkaToNats, natsToKafka, natsToFile],
  ...[httpToKafka, kafkaToHttp],
  ...[fileToPostgres, postgresQueueToFile, postgresToKafka, sqliteToSqlite],
  ...[postgresCdcToFile, postgresCdcToKafka, mysqlCdcToFile],
];
