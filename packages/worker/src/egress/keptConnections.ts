import { Effect, type Scope } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import type { Reach } from "./Reach.ts"

/** How long an unused connection is kept. */
const idleMs = 10_000

/** How old a connection may become: then the name is resolved anew, so that a host can move. */
const ageMs = 60_000

/** Unused connections that are kept per host: as many as a worker has requests in flight, should all of its endpoints be at one. */
const idlePerHostMax = 1_024

const options: http.AgentOptions = { keepAlive: true, timeout: idleMs, maxFreeSockets: idlePerHostMax }

/** Keeps no connection for long after its first request. */
const aging = <A extends http.Agent>(agent: A): A => {
  const since = new WeakMap<object, number>()
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    const now = performance.now()
    const first = since.get(socket) ?? now
    since.set(socket, first)
    // it returns whether to keep the connection, which its type does not say
    return (keep(socket) as unknown as boolean) && now - first < ageMs
  }
  return agent
}

/** The connections of a process, to be used again. */
export interface Agents {
  readonly of: (reach: Reach, secure: boolean) => http.Agent
}

/**
 * Makes them. A connection goes to an address that was checked for a reach, so what may only reach public addresses never uses
 * a connection that was made for what may reach local ones.
 */
export const makeAgents: Effect.Effect<Agents, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const both = () => ({ plain: aging(new http.Agent(options)), secure: aging(new https.Agent(options)) })
      return { local: both(), public: both() }
    }),
    (all) =>
      Effect.sync(() => {
        for (const { plain, secure } of Object.values(all)) {
          plain.destroy()
          secure.destroy()
        }
      })
  ),
  (all) => ({
    of: ({ local }, secure) => {
      const { plain, secure: encrypted } = local ? all.local : all.public
      return secure ? encrypted : plain
    }
  })
)
