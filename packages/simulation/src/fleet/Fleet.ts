import { Effect } from "effect"
import type { World } from "../world/World.ts"
import { type Gate, type Host, makeHost } from "../process/Host.ts"
import { type Server, startServer } from "./server.ts"
import { startSigner } from "./signer.ts"
import { startWorker } from "./worker.ts"

/** The processes of a service. What dies is started again after a while. */
export interface Fleet {
  /** The processes that answer partners now. */
  readonly servers: () => ReadonlyArray<Server>
  readonly hosts: () => ReadonlyArray<Host>
  /** Nothing is started any more, and all that runs is stopped. */
  readonly stop: () => void
}

/** How long it may take until a process is started again. */
const restartMs = 8_000

/** Starts all processes of a world, or the signer alone. */
export const startFleet = (world: World, parts: "all" | "signer" = "all"): Fleet => {
  const { config, faults, kernel, note, random, trust } = world
  const draws = random.for("fleet")
  const servers = new Map<string, Server>()
  const hosts = new Map<string, Host>()
  let over = false
  let started = 0

  const start = (name: string, begin: (gate: Gate) => void): void => {
    if (over) return
    started += 1
    const host = makeHost(`${name} ${started}`)
    hosts.set(name, host)
    note(`${host.name} starts`)
    host.onDeath(() => {
      hosts.delete(name)
      servers.delete(name)
      if (over) return
      note(`${host.name} dies`)
      const again = Effect.delay(
        Effect.sync(() => start(name, begin)),
        500 + draws.below(restartMs)
      )
      kernel.start(again)
    })
    begin({ host, kernel, faults, random: random.for(host.name) })
  }

  const [serversWanted, workersWanted] = parts === "all" ? [config.servers, config.workers] : [0, 0]
  for (let n = 0; n < serversWanted; n++)
    start(`server ${n}`, (gate) => void servers.set(`server ${n}`, startServer(gate, world)))
  for (let n = 0; n < workersWanted; n++) start(`worker ${n}`, (gate) => startWorker(gate, world))
  if (trust !== null) start("signer", (gate) => startSigner(gate, world, trust))

  return {
    servers: () => [...servers.values()],
    hosts: () => [...hosts.values()],
    stop: () => {
      over = true
      for (const host of [...hosts.values()]) host.die()
    }
  }
}
