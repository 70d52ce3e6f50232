import { isPut, putRecord } from "@bursar/core/engine/Records"
import type { RoutedEndpoint } from "@bursar/api/annotations/routeOf"
import { NeedsSignature } from "@bursar/api/annotations/NeedsSignature"
import { JsonObject } from "@bursar/api/errors/ErrorBody"
import { wireErrors } from "@bursar/api/errors/wireErrorSchemas"
import { created, idempotencyHeaders } from "@bursar/api/groups/shared"
import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { Caller } from "@bursar/api/middleware/Caller"
import { Limited } from "@bursar/api/middleware/Limited"
import { SchemaRefusals } from "@bursar/api/middleware/SchemaRefusals"
import { Scoped } from "@bursar/api/middleware/Scoped"
import { Signed } from "@bursar/api/middleware/Signed"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { withEvidence } from "@bursar/core/signature/SignatureEvidence"
import type { Command } from "@bursar/core/engine/Command"
import { Operation } from "@bursar/core/operation/Operation"
import { emptyState, type State } from "@bursar/memory"
import { Context, Effect, Layer, Logger, Result } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ServerConfig, type ServerSettings } from "../../src/config/ServerConfig.ts"
import { handleIdempotent } from "../../src/idempotency/handleIdempotent.ts"
import * as InFlight from "../../src/idempotency/InFlight.ts"
import * as Directory from "../../src/keys/Directory.ts"
import { listen } from "../../src/listen.ts"
import { contractRoutes } from "../../src/pipeline/contractRoutes.ts"
import { partnerChecks } from "../../src/pipeline/partnerChecks.ts"
import { surround } from "../../src/pipeline/surround.ts"
import { uncheckedRefused } from "../../src/pipeline/uncheckedRefused.ts"
import { makeRouteTable } from "../../src/http/RouteTable.ts"
import { fallbacks } from "../../src/middleware/fallbacks.ts"
import { requestLog } from "../../src/middleware/requestLog.ts"
import { bodySize } from "../../src/middleware/bodySize.ts"
import { toEvidence } from "../../src/signature/evidence.ts"
import { makeSeeder, portsOver, send, settings } from "./Partner.ts"

/** A signed operation as the contract would declare it: it books whatever amount the body names. */
class Bookings extends HttpApiGroup.make("bookings").add(
  HttpApiEndpoint.post("book", "/v1/bookings", {
    headers: idempotencyHeaders,
    payload: JsonObject,
    success: JsonObject.pipe(created),
    error: wireErrors
  })
    .middleware(Signed)
    .annotate(NeedsSignature, true),
  HttpApiEndpoint.post("other", "/v1/other", {
    headers: idempotencyHeaders,
    payload: JsonObject,
    success: JsonObject.pipe(created),
    error: wireErrors
  })
    .middleware(Signed)
    .annotate(NeedsSignature, true)
) {}

class Api extends HttpApi.make("signed")
  .add(Bookings)
  .middleware(SchemaRefusals)
  .middleware(Scoped)
  .middleware(Limited)
  .middleware(Authenticated) {}

const booking = (units: unknown, signature: VerifiedSignature["Service"]): Command<Operation> => {
  const adjusting = adjustFloat({ amount: of(BigInt(String(units)), "ETH"), against: "custodian", reason: "test" })
  return {
    ...adjusting,
    decide: (view) =>
      Result.map(adjusting.decide(view), ({ changes, reply }) => ({
        reply,
        changes: changes.map((change) =>
          isPut(Operation, change)
            ? putRecord(Operation, {
                ...change.record,
                details: withEvidence({}, toEvidence(signature))
              })
            : change
        )
      }))
  }
}

/** What a handler is given of a request. */
interface Booked {
  readonly endpoint: RoutedEndpoint
  readonly headers: { readonly "idempotency-key"?: string }
  readonly payload: JsonObject
}

const handlers = HttpApiBuilder.group(
  Api,
  "bookings",
  Effect.fnUntraced(function* (group) {
    const answer = yield* handleIdempotent
    const handle = Effect.fnUntraced(function* ({ endpoint, headers, payload }: Booked) {
      const { tenantId } = yield* Caller
      const signature = yield* VerifiedSignature
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () => Effect.sync(() => booking(payload["units"], signature)),
        render: ({ amount, id }) => ({ id, units: amount.units.toString() }),
        resourceId: ({ id }) => id
      })
    })
    return group.handleAll({ book: handle, other: handle })
  })
)

const surroundings = HttpRouter.middleware(
  surround({
    log: requestLog("partner", new Set()),
    lastWords: fallbacks(makeRouteTable([])),
    gates: () => [bodySize]
  }),
  { global: true }
)

const routes = contractRoutes(Api, partnerChecks).pipe(
  Layer.provide(handlers),
  Layer.provide(uncheckedRefused),
  Layer.provide(InFlight.layer),
  Layer.provide(surroundings),
  Layer.provide(Directory.layer),
  Layer.provide(HttpServer.layerServices)
)

/** A server of signed operations over memory, with the checks of the partner server, on a free port of its own. */
export class SignedService extends Context.Service<
  SignedService,
  {
    readonly url: string
    readonly send: ReturnType<typeof send>
    readonly state: State
    readonly seeder: Effect.Success<typeof makeSeeder>
  }
>()("test/SignedService") {
  static readonly layer = (changes: Partial<ServerSettings> = {}) =>
    Layer.unwrap(
      Effect.sync(() => {
        const state = emptyState()
        const environment = Layer.mergeAll(
          portsOver(state),
          Layer.succeed(ServerConfig, { ...settings, ...changes }),
          Logger.layer([])
        )
        return Layer.effect(
          SignedService,
          Effect.gen(function* () {
            const seeder = yield* makeSeeder
            const { url } = yield* listen(routes, { port: 0, gracefulShutdownTimeout: "2 seconds" })
            return { url, send: send(url), state, seeder }
          })
        ).pipe(Layer.provide(environment))
      })
    )
}
