import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Network } from "@bursar/core/money/Network"
import { type BlockOrder, Quarantine, type QuarantineEntry, type QuarantinePlace } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, writing } from "../../../refusals.ts"
import { type PagedList, pagesOf } from "../pages.ts"
import { writtenHash } from "../writtenHash.ts"
import { toWire } from "./toWire.ts"

const options = { uninterruptible: true }

const wireOrder = { PASS: "pass", REREAD: "reread" } as const

const orderToWire = ({ at, by, kind, network, number, reason }: BlockOrder) => ({
  network,
  block_number: number,
  order: wireOrder[kind],
  by,
  reason,
  at: toIso(at)
})

const paged: PagedList<QuarantineEntry, QuarantinePlace> = {
  name: "quarantine",
  write: ({ block, network, noticedAt, txHash }) => [
    `${noticedAt}`,
    `${block.number}`,
    network,
    block.hash,
    txHash ?? ""
  ],
  read: ([noticedAt, number, network = "", hash = "", txHash = ""]) => ({
    noticedAt: Number(noticedAt),
    block: { number: Number(number), hash },
    network,
    txHash: txHash === "" ? null : txHash
  })
}

/** What could not be read of blocks, and what operators do about it. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "quarantine",
  Effect.fnUntraced(function* (handlers) {
    const quarantine = yield* Quarantine
    const watching = yield* WatchState
    const { networks } = (yield* ServerConfig).currencies
    const pages = yield* pagesOf(paged)

    /**
     * Tells the watcher what to do with a block, where that can be done: what was read can be read again, and the one block before which
     * the network stands can be passed, as can one before which a search of the past stands. Of a later one nobody knows that it cannot be read: an order that waited for it would pass it
     * the first time that a node does not answer.
     */
    const order = Effect.fnUntraced(function* (
      network: Network,
      number: number,
      kind: "PASS" | "REREAD",
      reason: string | null
    ) {
      if (!networks.has(network)) return yield* apiError("not_found")
      const cursor = yield* orUnavailable(watching.cursor(network))
      const wasRead = cursor !== undefined && number <= cursor.number
      const isPast = kind === "PASS" && wasRead && (yield* orUnavailable(watching.isBackfillStuckAt(network, number)))
      if (kind === "PASS" && wasRead && !isPast)
        return yield* apiError("state_conflict", {
          message: `Block ${number} of ${network} was already read. You can read it again.`
        })
      if (kind === "REREAD" ? !wasRead : !isPast && number - 1 !== cursor?.number)
        return yield* apiError("state_conflict", { message: `${network} has not reached block ${number} yet.` })
      const { name: by } = yield* Operator
      const at = yield* Clock.currentTimeMillis
      yield* writing(quarantine.order({ network, number, kind, by, reason, at }))
      return { network, block_number: number, order: wireOrder[kind] }
    })

    return handlers.handleAll({
      list: ({ query: { cursor, limit, network, open = true } }) =>
        Effect.map(
          pages({ cursor, limit, filters: { network, open: `${open}` } }, (after, most) =>
            orUnavailable(quarantine.list({ network: network ?? null, open, after, limit: most }))
          ),
          ({ next, page }) => ({ entries: page.map(toWire), next_cursor: next })
        ),
      pass: {
        handler: Effect.fnUntraced(function* ({ params: { network }, payload }) {
          const { name: by } = yield* Operator
          const at = yield* Clock.currentTimeMillis
          const written = (hash: string) => writtenHash(networks, network, hash)
          const { block_hash: blockHash, tx_hash: txHash } = payload
          const which = {
            network,
            blockHash: written(blockHash),
            txHash: txHash === undefined ? "all" : written(txHash)
          }
          const ended = yield* writing(quarantine.end(which, { outcome: "passed", by, reason: payload.reason, at }))
          return ended === 0 ? yield* apiError("not_found") : { ended }
        }),
        options
      },
      rereadBlock: {
        handler: ({ params: { block_number, network } }) => order(network, block_number, "REREAD", null),
        options
      },
      passBlock: {
        handler: ({ params: { block_number, network }, payload }) =>
          order(network, block_number, "PASS", payload.reason),
        options
      },
      orders: () =>
        Effect.map(
          Effect.forEach([...networks.all], ({ name }) => orUnavailable(quarantine.orders(name))),
          (found) => ({ orders: found.flat().map(orderToWire) })
        ),
      withdrawOrder: {
        handler: Effect.fnUntraced(function* ({
          params: { block_number: number, network },
          payload: { order: named }
        }) {
          if (!networks.has(network)) return yield* apiError("not_found")
          const kind = named === "pass" ? "PASS" : "REREAD"
          if (yield* writing(quarantine.withdraw({ network, number, kind })))
            return { network, block_number: number, order: named }
          return yield* apiError("state_conflict", {
            message: `There is no order to ${named} block ${number} of ${network}: it was carried out, taken back or replaced.`
          })
        }),
        options
      }
    })
  })
)
