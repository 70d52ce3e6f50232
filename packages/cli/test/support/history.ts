import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { confirmDeposits } from "@bursar/core/deposit/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { recordArrivals } from "@bursar/core/deposit/recordArrivals"
import { reorgDeposits } from "@bursar/core/deposit/reorgDeposits"
import type { Command } from "@bursar/core/engine/Command"
import { layer as layerWriter, Writer } from "@bursar/core/engine/Writer"
import { once } from "@bursar/core/idempotency/once"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/operation/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { Effect, Layer, Redacted, Result } from "effect"

/** The tenant with a history. */
export const historyTenant = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")

const address = `0x${"5a".repeat(20)}`

/** A withdrawal that was taken and is not yet over: it holds its amount and its fee. */
const holding = (units: bigint, fee: bigint): Command<Operation> => ({
  name: "Holding",
  reads: (["float:available", "float:held"] as const).map((account) => ({
    _tag: "Balance" as const,
    account,
    currency: "ETH"
  })),
  decide: (view) => {
    const operation: Operation = {
      id: view.newId(),
      tenantId: view.tenant.id,
      kind: "WITHDRAWAL",
      status: "PROCESSING",
      amount: of(units, "ETH"),
      customerFee: of(fee, "ETH"),
      toAmount: null,
      toAmountQuoted: null,
      customerId: null,
      actsFor: "TENANT",
      network: "ethereum",
      provider: null,
      providerReference: null,
      partnerReference: null,
      networkFee: null,
      txHash: null,
      unresolved: false,
      details: {},
      createdAt: view.now,
      settledAt: null
    }
    const leg = { currency: "ETH", units: units + fee, what: "hold" } as const
    return Result.succeed({
      changes: [
        { _tag: "OperationPut", operation },
        {
          _tag: "Posted",
          operationId: operation.id,
          legs: [
            { ...leg, account: "float:available", direction: "DEBIT" },
            { ...leg, account: "float:held", direction: "CREDIT" }
          ]
        }
      ],
      reply: operation
    })
  }
})

/** What happened to the tenant: one of everything that leaves a trace. */
const happen = Effect.gen(function* () {
  const tenants = yield* Tenants
  const writer = yield* Writer
  yield* tenants.create({
    id: historyTenant,
    slug: "history",
    name: "History",
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: defaultPolicy,
    createdAt: Date.now()
  })
  const submit = <A>(command: Command<A>) => writer.submit(historyTenant, command)
  const claimed = <A>(key: string, endpoint: string, command: Command<A>, resourceId: (reply: A) => string | null) =>
    submit(once({ key, endpoint, fingerprint: key, render: () => ({ key }), resourceId, command }))

  let addressId = ""
  const item = {
    _tag: "Valid",
    network: "ethereum",
    address,
    reference: "r",
    watchFrom: null,
    watchFromBlock: null
  } as const
  yield* claimed("address", "POST /v1/deposit-addresses", registerAddresses([item]), ([result]) => {
    if (result !== undefined && "address" in result) addressId = result.address.id
    return null
  })
  let blocks = 100
  const arrive = Effect.fnUntraced(function* (txHash: string, units: bigint, currency: string) {
    blocks += 1
    const block = { number: blocks, hash: `block-${blocks}`, time: Date.now() + 60_000 }
    const arrival = { network: "ethereum", txHash, transferIndex: 0, addressId, address, currency, units } as const
    const [deposit] = yield* submit(
      recordArrivals(
        {
          network: "ethereum",
          requiredConfirmations: 3,
          arrivals: [{ ...arrival, fromAddress: null, block, confirmations: 1 }]
        },
        defaultCurrencies
      )
    )
    if (deposit === undefined) throw new Error("the arrival was not recorded")
    return deposit
  })
  const confirm = (deposit: Deposit) =>
    submit(confirmDeposits([{ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 3 }], defaultCurrencies))
  yield* confirm(yield* arrive("credited", 10n ** 18n, "ETH"))
  yield* confirm(yield* arrive("credited too", 25_000_000n, "USDT_ETH"))
  const lost = yield* arrive("lost", 7n * 10n ** 17n, "ETH")
  const [credited] = yield* confirm(lost)
  if (credited === undefined) throw new Error("the deposit was not credited")
  yield* submit(reorgDeposits([{ deposit: credited, blockHash: credited.block?.hash ?? "" }], defaultCurrencies))
  yield* arrive("waiting", 10n ** 17n, "ETH")

  const adjustment = (units: bigint) =>
    adjustFloat({ amount: of(units, "ETH"), against: "custodian", reason: "counted again" })
  yield* submit(adjustment(3n * 10n ** 17n))
  yield* submit(adjustment(-(10n ** 17n)))
  yield* claimed("refused", "POST /v1/withdrawals", adjustment(-(10n ** 30n)), ({ id }) => id)
  yield* claimed("withdrawn", "POST /v1/withdrawals", holding(2n * 10n ** 17n, 10n ** 15n), ({ id }) => id)
})

/** Writes the history into a migrated database. */
export const writeHistory = (url: string) =>
  happen.pipe(
    Effect.provide(layerWriter.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })))),
    Effect.scoped
  )
