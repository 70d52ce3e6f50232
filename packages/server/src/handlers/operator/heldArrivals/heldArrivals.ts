import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import type { DecideHeldArrival } from "@bursar/api/operator/OperatorHeldArrival"
import type { Network } from "@bursar/core/money/Network"
import {
  type DecisionResult,
  type HeldArrivalEntry,
  HeldArrivals,
  type HeldDecision,
  type HeldPlace
} from "@bursar/core/port/HeldArrivals"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, writing } from "../../../refusals.ts"
import { type PagedList, pagesOf } from "../pages.ts"
import { writtenHash } from "../writtenHash.ts"
import { toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** What an operator is told of a decision. */
const answer = Effect.fnUntraced(function* (result: DecisionResult) {
  switch (result) {
    case "accepted":
    case "refused":
      return { state: result } as const
    case "first":
      return { state: "first_acceptance" } as const
    case "same_person":
      return yield* apiError("state_conflict", {
        message: "You have accepted it already. Another operator has to accept it too."
      })
    case "changed":
      return yield* apiError("state_conflict", {
        message: "It pays something else by now than you have seen. Read it again."
      })
    case "not_open":
      return yield* apiError("not_found")
  }
})

const paysOf = ({ address, amount_units: units, currency }: NonNullable<typeof DecideHeldArrival.Type.pays>) => ({
  address,
  currency,
  units: BigInt(units)
})

const paged: PagedList<HeldArrivalEntry, HeldPlace> = {
  name: "held arrivals",
  write: ({ blockHash, network, since, transferIndex, txHash }) => [
    `${since}`,
    network,
    txHash,
    `${transferIndex}`,
    blockHash
  ],
  read: ([since, network = "", txHash = "", transferIndex, blockHash = ""]) => ({
    since: Number(since),
    network,
    txHash,
    transferIndex: Number(transferIndex),
    blockHash
  })
}

/** What nodes of two operators do not agree on, and what operators decide about it. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "held-arrivals",
  Effect.fnUntraced(function* (handlers) {
    const held = yield* HeldArrivals
    const { networks } = (yield* ServerConfig).currencies
    const pages = yield* pagesOf(paged)

    const decide = Effect.fnUntraced(function* (
      network: Network,
      { block_hash, pays, reason, transfer_index, tx_hash }: typeof DecideHeldArrival.Type,
      verdict: HeldDecision["verdict"]
    ) {
      const { name: by } = yield* Operator
      const at = yield* Clock.currentTimeMillis
      const [txHash, blockHash] = [writtenHash(networks, network, tx_hash), writtenHash(networks, network, block_hash)]
      const which = { network, txHash, transferIndex: transfer_index, blockHash }
      const decision = { verdict, by, reason, at, ...(pays !== undefined && { pays: paysOf(pays) }) }
      return yield* Effect.flatMap(writing(held.decide(which, decision)), answer)
    })

    return handlers.handleAll({
      list: ({ query: { cursor, limit, network, open = true } }) =>
        Effect.map(
          pages({ cursor, limit, filters: { network, open: `${open}` } }, (after, most) =>
            orUnavailable(held.list({ network: network ?? null, open, after, limit: most }))
          ),
          ({ next, page }) => ({ arrivals: page.map(toWire), next_cursor: next })
        ),
      accept: { handler: ({ params: { network }, payload }) => decide(network, payload, "accept"), options },
      refuse: { handler: ({ params: { network }, payload }) => decide(network, payload, "refuse"), options }
    })
  })
)
