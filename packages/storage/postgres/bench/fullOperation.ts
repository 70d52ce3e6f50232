import { placeReads } from "@bursar/core/ledger/coverShortfall"
import { emit } from "@bursar/core/engine/emit"
import type { Command } from "@bursar/core/engine/Command"
import { type IdempotentReply, idempotent } from "@bursar/core/idempotency/idempotent"
import { zero } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Result } from "effect"
import { putRecord } from "@bursar/core/engine/Records"

/**
 * All that an accepted withdrawal writes: the claim of its idempotency key with the stored answer, an operation, a
 * posting of two legs over two hot balances, and an event. What the benchmark counts is one of these, committed.
 */
export const fullOperation = (key: string): Command<IdempotentReply> =>
  idempotent<Operation>({
    key,
    endpoint: "POST /v1/withdrawals",
    fingerprint: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    render: ({ amount, createdAt, id, kind, status }) => ({
      id,
      kind,
      status,
      currency: amount.currency,
      amount: "1.000001",
      amount_units: amount.units.toString(),
      created_at: new Date(createdAt).toISOString()
    }),
    resourceId: ({ id }) => id,
    command: {
      name: "FullOperation",
      reads: [
        { _tag: "Balance", account: "float:available", currency: "USDT_ETH" },
        ...placeReads("custodian", "USDT_ETH")
      ],
      decide: (view) => {
        const operation: Operation = {
          id: view.newId(),
          tenantId: view.tenant.id,
          kind: "WITHDRAWAL",
          status: "ACCEPTED",
          amount: { units: 1_000_001n, currency: "USDT_ETH" },
          customerFee: zero("USDT_ETH"),
          toAmount: null,
          toAmountQuoted: null,
          customerId: null,
          actsFor: "TENANT",
          network: "ethereum",
          provider: null,
          providerReference: null,
          partnerReference: key,
          networkFee: null,
          txHash: null,
          unresolved: false,
          details: {
            destination: { address: "0xdAC17F958D2ee523a2206206994597C13D831ec7", memo: null, memo_type: null }
          },
          createdAt: view.now,
          settledAt: null
        }
        const leg = { currency: "USDT_ETH", units: 1_000_001n, what: "principal" } as const
        return Result.succeed({
          reply: operation,
          changes: [
            putRecord(Operation, operation),
            {
              _tag: "Posted",
              operationId: operation.id,
              legs: [
                { ...leg, account: "custodian", direction: "DEBIT" },
                { ...leg, account: "float:available", direction: "CREDIT" }
              ]
            },
            emit(view, "withdrawal.settled", operation.id, {
              operation_id: operation.id,
              kind: operation.kind,
              currency: "USDT_ETH",
              amount: "1.000001",
              amount_units: "1000001"
            })
          ]
        })
      }
    }
  })
