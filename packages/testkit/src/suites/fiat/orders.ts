import type { Payee, TransferOrder } from "@bursar/core/port/FiatProvider"
import { Clock, Effect } from "effect"
import { shown } from "../custodian/CustodianWorld.ts"
import { payee, somebody } from "../../fixtures/people.ts"
import { FiatWorld } from "./FiatWorld.ts"

/** Long enough ago that no order can be under way any more. */
const longAgoMs = 24 * 60 * 60 * 1_000

/** A customer that the provider knows. */
export const registered = Effect.gen(function* () {
  const { provider } = yield* FiatWorld
  const answer = yield* provider.register({ reference: crypto.randomUUID(), isBusiness: false, identity: somebody })
  if (answer._tag !== "Done") return yield* Effect.die(new Error(`registering answered ${shown(answer)}`))
  return answer.value.providerCustomerId
})

/** An account that money can arrive on. */
export const activeAccount = Effect.fnUntraced(function* (currency = "EUR") {
  const { activate, provider } = yield* FiatWorld
  const answer = yield* provider.openAccount({
    reference: crypto.randomUUID(),
    providerCustomerId: yield* registered,
    currency,
    country: "PT"
  })
  if (answer._tag !== "Done") return yield* Effect.die(new Error(`opening answered ${shown(answer)}`))
  yield* activate(answer.value.providerAccountId)
  return answer.value.providerAccountId
})

const byNumber: Payee = { ...payee, iban: null, accountNumber: "12345678" }

/** Who is paid in a currency. */
export const payeeIn = (currency: "EUR" | "USD" | "GBP"): Payee =>
  ({ EUR: payee, USD: { ...byNumber, routingNumber: "021000021" }, GBP: { ...byNumber, sortCode: "040004" } })[currency]

/** A transfer to somebody in euro, sent now unless it is said otherwise. */
export const orderOf = Effect.fnUntraced(function* (changes: Partial<TransferOrder> = {}) {
  const order: TransferOrder = {
    reference: crypto.randomUUID(),
    madeAt: yield* Clock.currentTimeMillis,
    sentAt: yield* Clock.currentTimeMillis,
    kind: "BANK_TRANSFER",
    amount: { units: 15_001n, currency: "EUR" },
    toCurrency: null,
    providerCustomerId: null,
    payee,
    rail: "SEPA",
    ...changes
  }
  return order
})

/** The same order, as if it had been made and sent so long ago. */
export const aged = (order: TransferOrder, ms: number): TransferOrder => ({
  ...order,
  madeAt: order.madeAt - ms,
  sentAt: order.sentAt - ms
})

/** The same order, as if it had been sent long ago. */
export const longAgo = (order: TransferOrder): TransferOrder => aged(order, longAgoMs)

/** Lets the provider take more other orders than it lists at once. */
export const manyOthers = Effect.fnUntraced(function* (pageSize: number) {
  const { next, provider } = yield* FiatWorld
  for (let count = 0; count <= pageSize; count++) {
    yield* next("settle")
    yield* provider.send(yield* orderOf())
  }
})
