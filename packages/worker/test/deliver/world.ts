import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import type { EventKind } from "@bursar/core/event/Event"
import { Writer } from "@bursar/core/engine/Writer"
import { Deliveries } from "@bursar/core/port/Deliveries"
import * as ShownAddresses from "@bursar/core/granting/ShownAddresses"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Queries } from "@bursar/core/store/Queries"
import { SecretBox } from "@bursar/core/port/SecretBox"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState, type State } from "@bursar/memory"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { Effect, Layer, Redacted } from "effect"
import { defaultDeliverLimits, type DeliverOptions } from "../../src/deliver/DeliverOptions.ts"
import { Egress, type EgressResponse, EgressError, type EgressRequest } from "../../src/egress/Egress.ts"
import { processOver } from "../watch/world.ts"

/** The secret of every endpoint here. */
export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7rPmZ5dM7cQ="

/** A request as it was sent, and when. */
export interface Sent {
  readonly at: number
  readonly url: string
  readonly eventId: number
  readonly request: EgressRequest
}

/** What a scripted host answers; an Effect that never ends is a host that hangs. */
export type Answering = (
  eventId: number,
  url: string,
  times: number
) => Effect.Effect<Partial<EgressResponse>, EgressError>

/** An answer with a status. */
export const status = (
  code: number,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Partial<EgressResponse>> => Effect.succeed({ status: code, headers: new Map(Object.entries(headers)) })

/** A host that does not answer. */
export const silence = Effect.fail(new EgressError({ reason: "timeout", detail: "no answer within 15000 ms" }))

/** A way out that leads to a script, and all that was sent. */
export const scripted = (answering: Answering) => {
  const sent: Array<Sent> = []
  const layer = Layer.succeed(
    Egress,
    Egress.of({
      send: (request) =>
        Effect.clockWith((clock) => {
          const eventId = Number(request.headers["X-Service-Event-Id"])
          sent.push({ at: clock.currentTimeMillisUnsafe(), url: request.url, eventId, request })
          const times = sent.filter((one) => one.eventId === eventId && one.url === request.url).length
          return Effect.map(answering(eventId, request.url, times), (answer): EgressResponse => ({
            status: 200,
            headers: new Map(),
            body: new Uint8Array(),
            truncated: false,
            ...answer
          }))
        })
    })
  )
  return { sent, layer }
}

/** A box that does not seal; it opens only for the owner for whom it was closed. */
export const openBox = Layer.succeed(
  SecretBox,
  SecretBox.of({
    seal: (owner, plain) => Effect.succeed(`${owner}|${Redacted.value(plain)}`),
    open: (owner, sealed) =>
      sealed.startsWith(`${owner}|`)
        ? Effect.succeed(Redacted.make(sealed.slice(owner.length + 1)))
        : Effect.die(new Error("not the owner's"))
  })
)

/** What a worker needs to deliver, over a store. */
export const delivering = (state: State = emptyState()) =>
  Layer.mergeAll(
    ShownAddresses.layer(presetNetworks).pipe(Layer.provide(layerFakeNetworks([])), Layer.provide(processOver(state))),
    processOver(state),
    openBox
  )

/** How the tests deliver. */
export const options: DeliverOptions = {
  serviceName: "service",
  sandboxMayReachLocal: true,
  limits: defaultDeliverLimits
}

/** Adds an endpoint of a tenant. */
export const endpointOf = Effect.fn("endpointOf")(function* (
  tenantId: TenantId,
  url = "https://hooks.example/in",
  kinds: ReadonlyArray<EventKind> | null = null
) {
  const box = yield* SecretBox
  const writer = yield* Writer
  return yield* writer.submit(
    tenantId,
    addEndpoint({ url, kinds, secret: yield* box.seal(tenantId, Redacted.make(secret)) })
  )
})

/** Emits events of a tenant. */
export const emit = Effect.fn("emit")(function* (
  tenantId: TenantId,
  count: number,
  kind: EventKind = "deposit.detected",
  resourceId?: string
) {
  const writer = yield* Writer
  for (let left = count; left > 0; left--) yield* writer.submit(tenantId, emitting({ note: "ü" }, kind, resourceId))
})

/** The attempts of an endpoint, oldest first. */
export const attemptsOf = (tenantId: TenantId, endpointId: string) =>
  Deliveries.pipe(
    Effect.flatMap((deliveries) => deliveries.attempts(tenantId, endpointId, 500)),
    Effect.map((attempts) => attempts.toReversed())
  )

/** The feed of a tenant. */
export const feedOf = (tenantId: TenantId) => Effect.flatMap(Queries, (queries) => queries.events(tenantId, 0, 500))
