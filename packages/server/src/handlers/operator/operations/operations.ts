import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Writer } from "@bursar/core/engine/Writer"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { Networks } from "@bursar/core/port/Networks"
import { ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { approveResolution, proposeResolution, rejectResolution } from "@bursar/core/resolution/resolutionCommands"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit, submitPrepared } from "../../../refusals.ts"
import { shownCurrencies } from "../../../wire/shownCurrencies.ts"
import { makeCancelling } from "../payouts/cancelling.ts"
import { wholePayout } from "../payouts/wholePayout.ts"
import { contradictionId } from "./contradictionId.ts"
import { giveEvidence, prove, refuseAnothers } from "./evidence.ts"
import { exportOperations } from "./exportOperations.ts"
import { list } from "./list.ts"
import { statementOf } from "./statement.ts"
import { wholeToWire } from "./toWire.ts"
import { findOperation, type OperationParams, wholeOperation } from "./wholeOperation.ts"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { Resolution, type Statement } from "@bursar/core/resolution/Resolution"
import { tellAssigned } from "@bursar/core/operation/tellAssigned"
import { tellShort } from "@bursar/core/operation/tellShort"

const options = { uninterruptible: true }

/** Operations of every kind and tenant. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "operations",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const tenants = yield* Tenants
    const deliveries = yield* Deliveries
    const calls = yield* ProviderCalls
    const networks = yield* Networks
    const { currencies } = yield* ServerConfig
    const { asKnown } = yield* shownCurrencies
    const cancelling = yield* makeCancelling

    const found = (params: OperationParams) => findOperation(queries, params)
    const told = (params: OperationParams) =>
      Effect.flatMap(wholeOperation({ queries, tenants, deliveries, calls }, params), (whole) =>
        Effect.map(asKnown([whole.operation]), (known) => wholeToWire(whole, known))
      )

    /** Refuses a resolution by a transaction of another operation; one that a provider says to have come to nothing settles nothing. */
    const refuseTaken = (
      operation: Operation,
      { basis, outcome, txHash }: Pick<Statement, "basis" | "outcome" | "txHash">
    ) =>
      txHash === null || (basis === "PROVIDER" && outcome !== "SETTLED")
        ? Effect.void
        : refuseAnothers({ networks, queries }, operation, txHash, basis)

    /** What a statement on an operation is read by. */
    const factsFor = ({ network }: Operation) => ({
      currencies,
      partOf: network === null ? undefined : networks.get(network)?.partOf
    })

    return handlers.handleAll({
      list: yield* list,
      export: yield* exportOperations,
      get: ({ params }) => told(params),
      attachEvidence: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload: { note, tx_hash: txHash = null } }) {
          const { name: by } = yield* Operator
          const ports = { queries, writer, networks, currencies }
          yield* giveEvidence(ports, yield* found(params), { note, txHash, by })
          return yield* told(params)
        })
      },
      resolve: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { name: by } = yield* Operator
          const operation = yield* found(params)
          const statement = yield* statementOf(operation, payload, currencies)
          yield* refuseTaken(operation, statement)
          const proposing = proposeResolution({ operation, statement, by, ...factsFor(operation) })
          yield* submit(writer, operation.tenantId, proposing)
          return yield* told(params)
        })
      },
      approveResolution: {
        options,
        handler: Effect.fnUntraced(function* ({ params }) {
          const { name: by } = yield* Operator
          const operation = yield* found(params)
          const resolution = yield* orUnavailable(queries.record(operation.tenantId, Resolution, params.resolution_id))
          if (resolution === undefined) return yield* apiError("not_found")
          const { basis, txHash } = resolution
          const chain = basis === "CHAIN" ? txHash : null
          yield* refuseTaken(operation, resolution)
          const proof = chain === null ? null : yield* prove({ networks, currencies }, operation, chain)
          const approving = approveResolution({ resolution, operation, by, proof, ...factsFor(operation) })
          yield* submit(writer, operation.tenantId, approving)
          return yield* told(params)
        })
      },
      rejectResolution: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { name: by } = yield* Operator
          const { id, tenantId } = yield* found(params)
          yield* submit(writer, tenantId, rejectResolution(id, params.resolution_id, by, payload.reason))
          return yield* told(params)
        })
      },
      closeContradiction: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload: { contradiction, reason } }) {
          const { name: by } = yield* Operator
          const operation = yield* found(params)
          const said = contradictionsOf(operation)
          if (said.length > 0 && contradictionId(operation) !== contradiction)
            return yield* apiError("state_conflict", {
              message: "The operation, or what contradicts it, is not what you were shown: read it again."
            })
          yield* submit(writer, operation.tenantId, closeContradiction({ operation, by, reason }))
          yield* Effect.annotateLogs(Effect.logWarning("operation.contradiction_closed"), {
            operation: operation.id,
            by,
            said: said.map((one) => one.said).join("; ")
          })
          return yield* told(params)
        })
      },
      cancel: {
        options,
        handler: Effect.fnUntraced(function* ({ params }) {
          const { name: by } = yield* Operator
          const operation = yield* found(params)
          const { tenantId } = operation
          const known = yield* asKnown([operation])
          if (operation.kind !== "CHAIN_PAYOUT") {
            yield* submit(writer, tenantId, cancelOperation({ operation, by, currencies: known }))
            return { state: "cancelled" as const, operation: yield* told(params) }
          }
          const { assigned, state, takenBack } = yield* submitPrepared(
            writer,
            tenantId,
            Effect.fnUntraced(function* () {
              const { payout, transaction } = yield* wholePayout(queries, operation)
              if (payout === undefined) return yield* apiError("not_found")
              return yield* cancelling({ operation, payout, transaction }, { by, currencies: known })
            })
          )
          yield* tellAssigned(tenantId, assigned)
          yield* tellShort(takenBack)
          return { state, operation: yield* told(params) }
        })
      }
    })
  })
)
