import type { DiskFile, SignerDisk } from "@bursar/signer/store/SignerDisk"
import { StoreUnusable } from "@bursar/signer/store/StoreUnusable"
import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Gate, Host } from "./Host.ts"
import { passing } from "./Host.ts"
import type { Faults } from "../outside/Faults.ts"

/** The disk of a signer: one file, and a small one beside it, of which it keeps for sure only what was synced. */
export interface Disk {
  readonly reachedBy: (gate: Gate) => SignerDisk
  /** Whether something was ever lost that had been synced: then the signer is right not to start. */
  readonly lostSynced: () => boolean
}

/** What a disk is made with. */
export interface DiskOptions {
  readonly random: Random
  readonly faults: Faults
  readonly start: (effect: Effect.Effect<unknown>) => void
  readonly note: (what: string) => void
}

interface Written {
  readonly bytes: Buffer
  readonly at: number
}

/** How long it takes until somebody restarts a signer whose disk has failed. */
const noticedMs = 3_000

const refusal = new StoreUnusable({ reason: "the store cannot be written (no space left on the disk)." })
const inUse = new StoreUnusable({ reason: "another signer uses this store." })

const patched = (file: Buffer, { at, bytes }: Written): Buffer => {
  const after = Buffer.alloc(Math.max(file.length, at + bytes.length))
  file.copy(after)
  bytes.copy(after, at)
  return after
}

/** A disk with nothing on it. */
export const makeDisk = ({ faults, note, random, start }: DiskOptions): Disk => {
  /** What is on it for sure, and what was written since. */
  let durable: Buffer = Buffer.alloc(0)
  let unsynced: Array<Written> = []
  const earlier: Array<Buffer> = []
  let beside: string | undefined
  let holder: Host | undefined
  let lost = false

  const seen = (): Buffer => unsynced.reduce(patched, durable)

  const sync = (): void => {
    if (unsynced.length === 0) return
    if (earlier.length < 50) earlier.push(durable)
    durable = seen()
    unsynced = []
  }

  /** What is left when the machine dies: what was synced, and of the rest nothing, all, or a torn beginning. */
  const tear = (): void => {
    const torn = unsynced.flatMap(({ at, bytes }): ReadonlyArray<Written> => {
      const kept = random.below(bytes.length + 1)
      if (random.chance(300))
        return [{ at, bytes: Buffer.concat([bytes.subarray(0, kept), Buffer.alloc(bytes.length - kept)]) }]
      return kept === 0 ? [] : [{ at, bytes: bytes.subarray(0, kept) }]
    })
    if (unsynced.length > 0) note(`the disk of the signer keeps ${torn.length} of ${unsynced.length} writes, torn`)
    durable = torn.slice(0, 1).reduce(patched, durable)
    unsynced = []
  }

  const died = (): void => {
    holder = undefined
    if (faults.strikes("disk.torn")) tear()
    else sync()
    if (durable.length > 0 && faults.strikes("disk.lost")) {
      note("the store of the signer is lost")
      durable = Buffer.alloc(0)
      beside = undefined
      lost = true
    } else if (earlier.length > 3 && faults.strikes("disk.restored")) {
      note("an old copy of the signer's store is restored")
      durable = earlier[random.below(earlier.length)] ?? durable
      lost = true
    }
  }

  const reachedBy = (gate: Gate): SignerDisk => {
    const { host } = gate
    const call = <A>(what: string, use: () => A): Effect.Effect<A, StoreUnusable> =>
      passing(
        gate,
        `disk.${what}`,
        Effect.sync(() => use())
      )
    const file: DiskFile = {
      readAll: call("readAll", seen),
      read: (bytes, at) => call("read", () => seen().copy(bytes, 0, at)),
      truncate: (length) =>
        call("truncate", () => {
          sync()
          durable = durable.subarray(0, length)
        }),
      write: (bytes, at) =>
        Effect.flatten(
          call("write", (): Effect.Effect<number, StoreUnusable> => {
            if (!faults.strikes("disk.full")) {
              unsynced.push({ at, bytes })
              return Effect.succeed(bytes.length)
            }
            const taken = random.below(bytes.length)
            unsynced.push({ at, bytes: bytes.subarray(0, taken) })
            // a signer that cannot write signs nothing more: somebody looks, and starts another
            start(Effect.delay(Effect.sync(host.die), noticedMs))
            return random.chance(500) ? Effect.succeed(taken) : Effect.fail(refusal)
          })
        ),
      datasync: call("datasync", sync),
      sync: call("sync", sync)
    }
    return {
      name: "signed.log",
      hold: Effect.suspend(() => {
        if (holder !== undefined && holder !== host) return Effect.fail(inUse)
        holder = host
        host.onDeath(died)
        return Effect.succeed({ isHeld: () => holder === host })
      }),
      setAside: () => {
        durable = Buffer.alloc(0)
        unsynced = []
        earlier.length = 0
        beside = undefined
      },
      open: Effect.succeed(file),
      readBeside: Effect.sync(() => beside),
      replaceBeside: (text) =>
        call("replaceBeside", () => {
          beside = text
        })
    }
  }

  return { reachedBy, lostSynced: () => lost }
}
