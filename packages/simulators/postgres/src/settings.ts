/**
 * Server settings for development and tests on a small machine. Durability is as in production: fsync and synchronous
 * commit stay on, so that what is measured and what survives a kill is real. A server that is not `durable` never waits
 * for the disk: what is committed outlives a kill, and no loss of power.
 */
export const settings = (port: number, durable: boolean): Readonly<Record<string, string>> => ({
  port: String(port),
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "8MB",
  maintenance_work_mem: "128MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "1GB",
  checkpoint_timeout: "15min",
  fsync: durable ? "on" : "off",
  full_page_writes: durable ? "on" : "off",
  // With two cores a parallel plan or compiled expression costs more than it saves.
  max_parallel_workers_per_gather: "0",
  jit: "off",
  random_page_cost: "1.1",
  timezone: "UTC",
  log_timezone: "UTC",
  logging_collector: "off",
  log_checkpoints: "off"
})
