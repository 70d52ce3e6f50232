import { OperatorApi } from "@bursar/api/OperatorApi"
import { waitingMax } from "@bursar/api/operator/OperatorWaiting"
import { fleetTenantId, GrantProposal, openProposals } from "@bursar/core/grant/Grant"
import { Grants } from "@bursar/core/grant/Grants"
import { Queries } from "@bursar/core/store/Queries"
import { type TenantWaiting, Waiting } from "@bursar/core/store/Waiting"
import { Cause, Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../../refusals.ts"
import { makeSight } from "../grants/sight.ts"
import { proposalToWire } from "../grants/toWire.ts"
import { toWire } from "./toWire.ts"

/** What waits for an operator, by tenant. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "waiting",
  Effect.fnUntraced(function* (handlers) {
    const waiting = yield* Waiting
    const queries = yield* Queries
    const found = yield* Effect.serviceOption(Grants)
    const sightOf = yield* makeSight

    /** How many proposals of a chain can be approved now; all that are undecided where its chain, or a row, cannot be read, since a person has to look. */
    const grantsOf = ({ proposals, tenantId }: TenantWaiting) =>
      Option.match(found, {
        onNone: () => Effect.succeed(0),
        onSome: (grants) =>
          Effect.gen(function* () {
            if (proposals === 0) return 0
            const sight = yield* sightOf({ grants, chain: tenantId === fleetTenantId ? null : tenantId })
            const open = yield* orUnavailable(queries.records(tenantId, GrantProposal, openProposals))
            return open.filter((one) => proposalToWire(sight, one).state === "OPEN").length
          }).pipe(
            Effect.catchDefect((defect) =>
              Effect.logError("grant.not_counted", Cause.die(defect)).pipe(
                Effect.annotateLogs({ tenant: tenantId }),
                Effect.as(proposals)
              )
            ),
            Effect.orElseSucceed(() => proposals)
          )
      })

    return handlers.handleAll({
      show: Effect.fnUntraced(function* () {
        const now = yield* Clock.currentTimeMillis
        const all = yield* orUnavailable(waiting.all(now, waitingMax))
        const counted = yield* Effect.forEach(all, (one) =>
          Effect.map(grantsOf(one), (grants) => ({ ...one, proposals: grants }))
        )
        return toWire(counted)
      })
    })
  })
)
