import { FiatAccount, AccountNumber, BookedIncoming } from "@bursar/core/account/FiatAccount"
import { Customer, CustomerName } from "@bursar/core/customer/Customer"
import { putRecord, readGroup } from "@bursar/core/engine/Records"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { difficultText, newIdAt } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { StorageIt } from "./services.ts"

const bareCustomer = (): Customer => ({
  id: newIdAt(past),
  externalId: "user-1",
  isBusiness: false,
  displayName: null,
  country: null,
  verification: null,
  registration: null,
  createdAt: past
})

const bareAccount = (customerId: string): FiatAccount => ({
  id: newIdAt(past),
  customerId,
  currency: "EUR",
  country: null,
  status: "PENDING",
  provider: "fake",
  providerCustomerId: null,
  providerAccountId: null,
  details: {
    holderName: null,
    iban: null,
    accountNumber: null,
    sortCode: null,
    bic: null,
    bankName: null,
    expiresAt: null
  },
  lastIncoming: null,
  createdAt: past,
  changedAt: past
})

/** Customers, their accounts, and what arrived there. */
export const fiatTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "customers and accounts round-trip with everything and with nothing they can have",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const { id } = yield* newTenant()
        const bare = bareCustomer()
        const full: Customer = {
          ...bare,
          id: newIdAt(past),
          externalId: difficultText,
          isBusiness: true,
          displayName: difficultText,
          country: "PT",
          verification: {
            provider: "fake",
            applicantId: difficultText,
            status: "APPROVED",
            capabilities: ["payouts", difficultText],
            expiresAt: past + 1,
            environment: "sandbox",
            decidedAt: past + 2
          },
          registration: { provider: "fake", providerCustomerId: difficultText }
        }
        const [one, two] = [bareAccount(bare.id), bareAccount(full.id)]
        const details = { ...two.details, holderName: difficultText, iban: "PT50", expiresAt: past + 3 }
        const open: FiatAccount = {
          ...two,
          country: "PT",
          status: "ACTIVE",
          providerCustomerId: "cus",
          providerAccountId: "cus/acc",
          details,
          lastIncoming: difficultText,
          changedAt: past + 4
        }
        const name = { externalId: difficultText, customerId: full.id }
        const number = { number: "PT50", accountIds: [two.id, one.id] }
        const booked = { key: `${two.id}|${difficultText}`, operationId: newIdAt(past) }
        yield* commitAt(
          id,
          past,
          writing(() => [
            putRecord(Customer, bare),
            putRecord(Customer, full),
            putRecord(CustomerName, name),
            putRecord(FiatAccount, one),
            putRecord(FiatAccount, two),
            putRecord(AccountNumber, number),
            putRecord(BookedIncoming, booked)
          ])
        )
        yield* commitAt(
          id,
          past,
          writing(() => [putRecord(FiatAccount, open)])
        )
        assert.deepStrictEqual(yield* queries.record(id, Customer, bare.id), bare)
        assert.deepStrictEqual(yield* queries.record(id, Customer, full.id), full)
        assert.deepStrictEqual(yield* queries.record(id, CustomerName, difficultText), name)
        assert.deepStrictEqual(yield* queries.record(id, FiatAccount, one.id), one)
        assert.deepStrictEqual(yield* queries.record(id, FiatAccount, two.id), open)
        assert.deepStrictEqual(yield* queries.record(id, AccountNumber, "PT50"), number)
        assert.deepStrictEqual(yield* queries.record(id, BookedIncoming, booked.key), booked)
        const ofCustomer = looking([readGroup(FiatAccount, full.id)], (view) => view.group(FiatAccount, full.id))
        assert.deepStrictEqual(yield* commitAt(id, past, ofCustomer), [[open]])
        assert.isUndefined(yield* queries.record((yield* newTenant()).id, Customer, bare.id))
      }),
    timeoutMs
  )
}
