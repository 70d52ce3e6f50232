import { putRecord, isPut } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Usage } from "@bursar/core/limit/Usage"
import { Operation } from "@bursar/core/operation/Operation"
import type { Block } from "@bursar/core/port/Chain"
import type { ChainSender, SendOrder } from "@bursar/core/port/ChainSender"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { refused } from "@bursar/core/port/ProviderResult"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { Clock, Effect, Result } from "effect"
import type { Plant } from "../world/Plant.ts"
import { changing, isPosted, policied, postingTwice } from "./planting.ts"

const sending = (change: (sender: ChainSender) => Partial<ChainSender>): Plant => ({
  network: (adapter) => ({ ...adapter, sender: { ...adapter.sender, ...change(adapter.sender) } })
})

const creating = ["CreatePayout", "CreateWithdrawal", "CreateSwap"]

/** Where a thief wants to be paid. */
const thief = "0x1111111111111111111111111111111111111111"

/** Bytes that pay a thief, and a reading of them that shows what was asked for. */
const lying = ({ codec, ...adapter }: NetworkAdapter): NetworkAdapter => {
  const meant = new Map<string, string>()
  const nameOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")
  return {
    ...adapter,
    codec: {
      ...codec,
      read: (unsigned) =>
        Result.map(codec.read(unsigned), (content) => ({
          ...content,
          payments: content.payments.map((payment) => ({ ...payment, to: meant.get(nameOf(unsigned)) ?? payment.to }))
        }))
    },
    sender: {
      ...adapter.sender,
      build: (order) => {
        const [payment] = order.payments
        if (payment === undefined || order.drain) return adapter.sender.build(order)
        return Effect.map(adapter.sender.build({ ...order, payments: [{ ...payment, to: thief }] }), (built) => {
          meant.set(nameOf(built.bytes), payment.to)
          return { ...built, payments: order.payments }
        })
      }
    }
  }
}

const reading = (change: (block: Block) => Block): Plant => ({
  network: (adapter) => ({
    ...adapter,
    reader: { ...adapter.reader, block: (hash) => Effect.map(adapter.reader.block(hash), change) }
  })
})

const building = (change: (order: SendOrder) => SendOrder): Plant =>
  sending(({ build }) => ({ build: (order) => build(change(order)) }))

/** Mistakes with payments on chains and at the custodian, with deposits, and with what partners are told. */
export const chainMistakes = {
  "fence skipped": { epochsRise: false },
  "hold lost": changing(["CreatePayout", "CreateWithdrawal"], (changes) => changes.filter((one) => !isPosted(one))),
  "hold of a failed withdrawal kept": changing(["RecordWithdrawal"], (changes) =>
    changes.some((one) => isPut(Operation, one) && one.record.status === "FAILED")
      ? changes.filter((one) => !isPosted(one))
      : changes
  ),
  "deposit credited twice": changing(["ConfirmDeposits"], (changes) => [...changes, ...changes.filter(isPosted)]),
  "deposit not taken back": changing(["ReorgDeposits"], (changes) => changes.filter((one) => !isPosted(one))),
  "outcome not told": changing(["RecordStatus", "RecordWithdrawal", "RecordSwap"], (changes) =>
    changes.filter(({ _tag }) => _tag !== "EventEmitted")
  ),
  "fee one unit too low": changing(creating, (changes) =>
    changes.map((one) =>
      isPut(Operation, one) && one.record.customerFee.units > 0n
        ? putRecord(Operation, {
            ...one.record,
            customerFee: { ...one.record.customerFee, units: one.record.customerFee.units - 1n }
          })
        : one
    )
  ),
  "key forgotten": changing(creating, (changes) => changes.filter((one) => !isPut(IdempotencyRecord, one))),
  "usage forgotten": changing(creating, (changes) => changes.filter((one) => !isPut(Usage, one))),
  "limit not looked at": policied(["CreatePayout"], { payoutLimitUsd: null, payoutDailyLimitUsd: null }),
  "review skipped": policied(["CreatePayout", "CreateWithdrawal"], {
    payoutReviewUsd: null,
    withdrawalReviewUsd: null
  }),
  "job lost": changing(["CreatePayout"], (changes) => changes.filter(({ _tag }) => _tag !== "Scheduled")),
  "signed bytes not stored": changing(["RecordSigned"], (changes) =>
    changes.filter((one) => !isPut(TransactionAttempt, one))
  ),
  "included taken for final": sending(({ status }) => ({
    status: (order, attempts) =>
      Effect.flatMap(status(order, attempts), (found) =>
        found._tag !== "Included"
          ? Effect.succeed(found)
          : Effect.map(Clock.currentTimeMillis, (blockTime) => ({
              _tag: "Final" as const,
              hash: found.hash,
              blockNumber: found.blockNumber,
              blockTime,
              fee: 400_000_000_000_000n,
              effect: "done" as const
            }))
      )
  })),
  "revert taken for success": sending(({ status }) => ({
    status: (order, attempts) =>
      Effect.map(status(order, attempts), (found) =>
        found._tag === "Final" && found.effect === "reverted" ? { ...found, effect: "done" as const } : found
      )
  })),
  "confirmed in the first block": {
    network: (adapter) => ({
      ...adapter,
      reader: {
        ...adapter.reader,
        tip: Effect.map(adapter.reader.tip, (tip) => ({ ...tip, confirmed: tip.latest.number }))
      }
    })
  },
  "thief paid": { network: lying },
  "unknown taken for refused": {
    custodian: (custodian) => ({
      ...custodian,
      withdraw: (order) =>
        Effect.map(custodian.withdraw(order), (answer) => (answer._tag === "Unknown" ? refused(answer.detail) : answer))
    })
  },
  "withdrawal ordered again when asked for": {
    custodian: (custodian) => ({ ...custodian, withdrawal: (order) => custodian.withdraw(order) })
  },
  "swap ordered again when asked for": {
    custodian: (custodian) => ({ ...custodian, conversion: (order) => custodian.convert(order) })
  },
  "withdrawal of one unit more": {
    custodian: (custodian) => ({
      ...custodian,
      withdraw: (order) => custodian.withdraw({ ...order, amount: { ...order.amount, units: order.amount.units + 1n } })
    })
  },
  "withdrawal to a thief": {
    custodian: (custodian) => ({
      ...custodian,
      withdraw: (order) => custodian.withdraw({ ...order, address: "a thief" })
    })
  },
  "ether worth a dollar": {
    prices: (prices) => ({
      ...prices,
      usd: (currency) =>
        Effect.map(prices.usd(currency), (rate) =>
          rate === null ? null : { ...rate, price: { units: 1n, decimals: 0 } }
        )
    })
  },
  "deposit of one unit more": reading((block) => ({
    ...block,
    transfers: block.transfers.map((transfer) => ({ ...transfer, units: transfer.units + 1n }))
  })),
  "deposit overlooked": reading((block) => ({ ...block, transfers: block.transfers.slice(1) })),
  "move from an own address credited": reading((block) => ({
    ...block,
    transfers: block.transfers.map((one) => ({ ...one, from: null }))
  })),
  "deposit of a lost block kept": changing(["ReorgDeposits"], () => []),
  "end of a payout not booked": changing(["RecordStatus"], (changes) => changes.filter((one) => !isPosted(one))),
  "end of a payout booked twice": postingTwice(["RecordStatus"]),
  "end of a withdrawal booked twice": postingTwice(["RecordWithdrawal"]),
  "swap booked twice": postingTwice(["RecordSwap"]),
  "outcome told twice": changing(["RecordStatus", "RecordWithdrawal", "RecordSwap"], (changes) => [
    ...changes,
    ...changes.filter(({ _tag }) => _tag === "EventEmitted")
  ]),
  "fee of the network not booked": sending(({ status }) => ({
    status: (order, attempts) =>
      Effect.map(status(order, attempts), (found) => (found._tag === "Final" ? { ...found, fee: 0n } : found))
  })),
  "never given to a node": sending(() => ({ broadcast: () => Effect.succeed({ _tag: "Accepted" }) })),
  "lost transaction taken for impossible": sending(({ status }) => ({
    status: (order, attempts) =>
      Effect.map(status(order, attempts), (found) =>
        found._tag === "Pending" && !found.known
          ? { _tag: "Invalidated" as const, reason: "replaced_on_chain" as const, by: null, detail: "it is gone" }
          : found
      )
  })),
  "expired by the clock taken for impossible": sending(({ status }) => ({
    status: (order, attempts) =>
      Effect.gen(function* () {
        const found = yield* status(order, attempts)
        const now = yield* Clock.currentTimeMillis
        const isOver = attempts.every(({ validUntil }) => validUntil !== null && validUntil < now)
        return found._tag === "Final" || attempts.length === 0 || !isOver
          ? found
          : { _tag: "Invalidated" as const, reason: "expired_unsent" as const, by: null, detail: "its time is over" }
      })
  })),
  "replacement under the next number": building((order) =>
    order.replacing === null || order.guard._tag !== "Sequence"
      ? order
      : { ...order, guard: { ...order.guard, sequence: order.guard.sequence + 1n } }
  ),
  "left out and not said": building(({ leavesOut: _leavesOut, ...order }) => order),
  "payment of one unit more": building((order) => ({
    ...order,
    payments: order.drain ? order.payments : order.payments.map((one) => ({ ...one, units: one.units + 1n }))
  })),
  "events sent in another order": {
    deliveries: (deliveries) => ({
      ...deliveries,
      lease: (...asked) =>
        Effect.map(deliveries.lease(...asked), (all) =>
          all.map((work) => ({ ...work, fresh: work.fresh.toReversed() }))
        )
    })
  },
  "event not sent": {
    deliveries: (deliveries) => ({
      ...deliveries,
      lease: (...asked) =>
        Effect.map(deliveries.lease(...asked), (all) => all.map((work) => ({ ...work, fresh: work.fresh.slice(1) })))
    })
  }
} as const satisfies Readonly<Record<string, Plant>>
