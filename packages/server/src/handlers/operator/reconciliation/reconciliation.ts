import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { explainBreak } from "@bursar/core/reconciliation/explainBreak"
import { observationsOfDay, PastObservation, PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { readableRecords } from "../../../readableRecords.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { readStatementFile } from "./readStatementFile.ts"
import { statementHandlers } from "./statements.ts"
import { stopHandlers } from "./stops.ts"
import { breakToWire, observationToWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** The books against the world, as the worker has found them. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "reconciliation",
  Effect.fnUntraced(function* (handlers) {
    const [queries, writer] = [yield* Queries, yield* Writer]
    const { currencies } = yield* ServerConfig

    /** The newest first. */
    const allBreaks = Effect.map(readableRecords(queries, ReconciliationBreak), (found) =>
      found.toSorted((one, other) => other.since - one.since)
    )
    const shown = Effect.fnUntraced(function* (breaks: ReadonlyArray<ReconciliationBreak>) {
      const now = yield* Clock.currentTimeMillis
      return breaks.map((one) => breakToWire(currencies, one, now))
    })
    const shownPlaces = (places: ReadonlyArray<PlaceObservation>) =>
      places.map((one) => observationToWire(currencies, one))

    const statements = yield* statementHandlers
    const { resumePlace, stopPlace, stops } = yield* stopHandlers
    return handlers.handleAll({
      ...statements,
      stopPlace: { handler: stopPlace, options },
      resumePlace: { handler: resumePlace, options },
      readStatementFile: yield* readStatementFile,
      importStatement: { handler: statements.importStatement, options },
      show: () =>
        Effect.gen(function* () {
          const open = (yield* allBreaks).filter(({ closedAt }) => closedAt === null)
          const places = yield* readableRecords(queries, PlaceObservation)
          return {
            stops: yield* stops,
            breaks: yield* shown(open),
            places: shownPlaces(places)
          }
        }),
      breaks: ({ query: { limit = listLimits.operatorLists.default } }) =>
        Effect.gen(function* () {
          return { breaks: yield* shown((yield* allBreaks).slice(0, limit)) }
        }),
      oneBreak: Effect.fnUntraced(function* ({ params: { break_id } }) {
        const found = yield* orUnavailable(queries.record(fleetTenantId, ReconciliationBreak, break_id))
        if (found === undefined) return yield* apiError("not_found")
        return breakToWire(currencies, found, yield* Clock.currentTimeMillis)
      }),
      explain: {
        handler: Effect.fnUntraced(function* ({ params: { break_id }, payload: { note } }) {
          const { name } = yield* Operator
          const explained = yield* submit(writer, fleetTenantId, explainBreak(break_id, note, name))
          return breakToWire(currencies, explained, yield* Clock.currentTimeMillis)
        }),
        options
      },
      observations: ({ query: { currency, day, place } }) =>
        Effect.gen(function* () {
          const group = observationsOfDay(place, currency, day)
          const found = yield* readableRecords(queries, PastObservation, group)
          return { observations: shownPlaces(found.toSorted((one, other) => other.at - one.at)) }
        })
    })
  })
)
