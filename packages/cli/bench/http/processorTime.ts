import { serverCpuMicros } from "@bursar/simulator-postgres/serverCpu"

/** Processor time that was spent, in microseconds: by this process, and by the database's processes, which is 0 where it is not told. */
export interface ProcessorTime {
  readonly server: number
  readonly database: number
}

/** Says how much processor time has been spent, by this process and by the server that begins with a process. */
export const processorTime = (postmaster: number): ProcessorTime => {
  const { system, user } = process.cpuUsage()
  return { server: user + system, database: serverCpuMicros(postmaster) ?? 0 }
}
