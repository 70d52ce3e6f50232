import { Writer } from "@bursar/core/engine/Writer"
import { Deliveries } from "@bursar/core/port/Deliveries"
import * as ShownAddresses from "@bursar/core/granting/ShownAddresses"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { makeNetworks, Networks } from "@bursar/core/port/Networks"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { deliverWebhooks } from "@bursar/worker/deliver/deliverWebhooks"
import { layer as egressLayer } from "@bursar/worker/egress/nodeEgress"
import { serverCpuMicros } from "@bursar/simulator-postgres/serverCpu"
import { Clock, Effect, Fiber, Layer, Redacted } from "effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { openTenant } from "./writer.ts"

/** A receiver that answers at once, for the length of a scope. */
const receiver = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly stop: () => void }>((resume) => {
    const child = fork(fileURLToPath(new URL("webhookReceiver.ts", import.meta.url)))
    child.once("message", (port) =>
      resume(Effect.succeed({ url: `http://127.0.0.1:${String(port)}/`, stop: () => child.kill() }))
    )
  }),
  ({ stop }) => Effect.sync(stop)
)

/** Secrets as they are: sealing is not measured. */
const openBox = Layer.succeed(
  SecretBox,
  SecretBox.of({
    seal: (_, plain) => Effect.succeed(Redacted.value(plain)),
    open: (_, sealed) => Effect.succeed(Redacted.make(sealed))
  })
)

/** How fast webhooks were delivered, and what each cost. */
export interface Delivered {
  readonly perSecond: number
  /** Processor time of the worker for each, in microseconds. */
  readonly workerMicros: number
  /** The same of PostgreSQL; null where it cannot be told. */
  readonly serverMicros: number | null
}

/** Delivers `count` events of one tenant to each of some endpoints, from the first to the last. The postmaster tells what PostgreSQL used. */
export const webhooks = Effect.fnUntraced(
  function* (endpoints: number, count: number, postmaster: number) {
    const writer = yield* Writer
    const deliveries = yield* Deliveries
    const tenant = yield* openTenant(`webhooks-${endpoints}`)
    const { url } = yield* receiver
    const ids = yield* Effect.forEach(Array.from({ length: endpoints }), () =>
      Effect.map(writer.submit(tenant.id, addEndpoint({ url, kinds: null, secret: "bench" })), ({ id }) => id)
    )
    const events = yield* Effect.forEach(
      Array.from({ length: count }),
      () => writer.submit(tenant.id, emitting({ note: "a deposit of the bench" })),
      { concurrency: 256 }
    )
    const last = Math.max(...events)
    const started = yield* Clock.currentTimeMillis
    const [own, servers] = [process.cpuUsage(), serverCpuMicros(postmaster)]
    const worker = yield* Effect.forkScoped(deliverWebhooks({ serviceName: "service", sandboxMayReachLocal: true }))
    // attempts are stored in the order of their events
    for (const id of ids)
      while ((yield* deliveries.attempts(tenant.id, id, 1))[0]?.eventId !== last) yield* Effect.sleep("20 millis")
    const took = ((yield* Clock.currentTimeMillis) - started) / 1_000
    const { system, user } = process.cpuUsage(own)
    const after = serverCpuMicros(postmaster)
    yield* Fiber.interrupt(worker)
    const delivered = endpoints * count
    return {
      perSecond: delivered / took,
      workerMicros: (system + user) / delivered,
      serverMicros: servers === null || after === null ? null : (after - servers) / delivered
    } satisfies Delivered
  },
  Effect.scoped,
  Effect.provide([egressLayer, openBox]),
  // the events of this benchmark name no address
  Effect.provide(ShownAddresses.layer(presetNetworks)),
  Effect.provideService(Networks, makeNetworks([]))
)
