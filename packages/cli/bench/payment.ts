import { placeReads } from "@bursar/core/ledger/coverShortfall"
import type { Command } from "@bursar/core/engine/Command"
import { emit } from "@bursar/core/engine/emit"
import { type IdempotentReply, idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Result } from "effect"
import { putRecord } from "@bursar/core/engine/Records"

const currency = "USDT_ETH"

/** A full operation on a float, as a payout makes it: two legs with running balances, the operation and its event. */
const payment = (units: bigint): Command<Operation> => ({
  name: "BenchPayment",
  reads: [{ _tag: "Balance", account: "float:available", currency }, ...placeReads("custodian", currency)],
  decide: (view) => {
    if (view.balance("float:available", currency).units < units) throw new Error("the bench float ran dry")
    const operation: Operation = {
      id: view.newId(),
      tenantId: view.tenant.id,
      kind: "WITHDRAWAL",
      status: "SETTLED",
      amount: of(units, currency),
      customerFee: of(0n, currency),
      toAmount: null,
      toAmountQuoted: null,
      customerId: null,
      actsFor: "TENANT",
      network: null,
      provider: null,
      providerReference: null,
      partnerReference: "bench",
      networkFee: null,
      txHash: null,
      unresolved: false,
      details: {},
      createdAt: view.now,
      settledAt: view.now
    }
    return Result.succeed({
      changes: [
        putRecord(Operation, operation),
        {
          _tag: "Posted",
          operationId: operation.id,
          legs: [
            { account: "float:available", currency, direction: "DEBIT", units, what: "principal" },
            { account: "custodian", currency, direction: "CREDIT", units, what: "principal" }
          ]
        },
        emit(view, "withdrawal.settled", operation.id, { operation_id: operation.id, amount: "0.000001", currency })
      ],
      reply: operation
    })
  }
})

/** The payment under an idempotency key: with its claim and stored answer, in one commit. */
export const paymentOnce = (key: string): Command<IdempotentReply> =>
  idempotent({
    key,
    endpoint: "POST /v1/withdrawals",
    fingerprint: key,
    render: ({ id, status }) => ({ id, status }),
    resourceId: ({ id }) => id,
    command: payment(1n)
  })
