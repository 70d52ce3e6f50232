import { Effect } from "effect"
import { createConnection } from "node:net"
import type { Database } from "./Database.ts"
import type { Member } from "./Fleet.ts"

/** What is done to a service. */
export interface Fault {
  readonly name: string
  readonly happen: Effect.Effect<void>
}

/** How long a part is out of reach. */
const outageMs = 1_500

/** More than PostgreSQL has room for. */
const connectionsMax = 220

const stopped = (pid: number, ms: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => process.kill(pid, "SIGSTOP")),
    () => Effect.sleep(ms),
    () => Effect.sync(() => process.kill(pid, "SIGCONT"))
  )

/** Takes every connection that there is, for a while. */
const exhaust = (port: number, ms: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      Array.from({ length: connectionsMax }, () =>
        createConnection({ port, host: "127.0.0.1" }).on("error", () => undefined)
      )
    ),
    () => Effect.sleep(ms),
    (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
  )

/** By how much a clock is off: less than signatures allow for, so that none is refused for it. Whoever is ahead or behind writes nothing meanwhile. */
const offMs = 45_000

/** How long a disk is full, or slow: until somebody has wanted to write. */
const diskMs = 4_000

const ofMember = ({ gate, kill, misset, pid, role }: Member): ReadonlyArray<Fault> => [
  { name: `${role} killed`, happen: kill },
  { name: `${role} cut off from the database`, happen: gate.cut(outageMs) },
  { name: `${role} and the database hear nothing of each other`, happen: gate.hold(outageMs) },
  { name: `${role} stopped, and gone on with`, happen: Effect.suspend(() => stopped(pid(), outageMs)) },
  { name: `the clock of ${role} 45 s ahead, and right again`, happen: misset(offMs, outageMs) },
  { name: `the clock of ${role} 45 s behind, and right again`, happen: misset(-offMs, outageMs) }
]

const ofDisk = ({ fill, slow }: Database): ReadonlyArray<Fault> => [
  ...(fill === undefined ? [] : [{ name: "the disk full", happen: fill(diskMs) }]),
  { name: "PostgreSQL as slow as its disk", happen: slow(diskMs) }
]

/** All faults but the death of the database, each for every process; the disk's as often as those of one process. */
export const faultsOf = (database: Database, members: ReadonlyArray<Member>): ReadonlyArray<Fault> => [
  ...members.flatMap(ofMember),
  ...Array.from({ length: 3 }, () => ofDisk(database)).flat(),
  {
    name: "every connection of the database taken",
    happen: Effect.suspend(() => exhaust(members[0]?.gate.port ?? 0, outageMs))
  },
  {
    name: "everybody cut off from the database",
    happen: Effect.forEach(members, ({ gate }) => gate.cut(outageMs), { concurrency: "unbounded", discard: true })
  }
]

/** The death of the database by SIGKILL. */
export const databaseDies = ({ kill }: Database): Fault => ({ name: "PostgreSQL killed", happen: kill })
