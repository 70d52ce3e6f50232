import { Effect } from "effect"
import { ask, tell, untilRight } from "../ask.ts"
import { settledBy } from "../outcome.ts"
import type { Chapter, Scene } from "../Scene.ts"

const identity = {
  first_name: "Ana",
  last_name: "Silva",
  date_of_birth: "1990-04-01",
  document_kind: "PASSPORT",
  document_number: "P0000000",
  document_country: "PT",
  residence_country: "PT",
  email: "ana@example.com"
}

const rent = { amount: "250", currency: "EUR" }
const salary = { amount: "150", currency: "EUR" }

const ana: Scene = {
  name: "Ana Silva",
  play: (world, reached) =>
    Effect.gen(function* () {
      const { client, handshake, run } = world
      const control = handshake.sandbox.control_url
      const { id: customerId } = yield* ask("client.customers.create", (signal) =>
        client.customers.create(
          { external_id: `user-${run}`, is_business: false, display_name: "Ana Silva", country: "PT" },
          { signal }
        )
      )
      yield* reached("created")

      const check = ask("client.customers.startVerification", (signal) =>
        client.customers.startVerification(customerId, { signal })
      )
      yield* check
      yield* tell(`${control}/identity/${customerId}/result`, { status: "GREEN" })
      const verification = ask("client.customers.verification", (signal) =>
        client.customers.verification(customerId, { signal })
      )
      yield* untilRight(
        "the approval",
        // who asks for a check that is open has it looked at now, not within a minute
        Effect.andThen(check, verification),
        ({ status }) => status === "APPROVED",
        ({ status }) => status
      )
      yield* reached("verified")

      yield* ask("client.customers.registerWithProvider", (signal) =>
        client.customers.registerWithProvider(customerId, identity, { signal })
      )
      const { id: accountId } = yield* ask("client.accounts.create", (signal) =>
        client.accounts.create({ customer_id: customerId, currency: "EUR", country: "PT" }, { signal })
      )
      const { iban } = yield* untilRight(
        "the account",
        ask("client.accounts.get", (signal) => client.accounts.get(accountId, { signal })),
        ({ status }) => status === "ACTIVE",
        ({ status }) => status
      )
      yield* reached(`account ${iban}`)

      yield* tell(`${control}/fiat/incoming`, { account: accountId, ...rent, description: "rent" })
      yield* untilRight(
        "the payment to the account",
        ask("client.accounts.entries", (signal) => client.accounts.entries(accountId, {}, { signal })),
        (entries) => entries.some(({ amount, direction }) => direction === "CREDIT" && amount.amount === rent.amount),
        (entries) => JSON.stringify(entries)
      )
      yield* reached(`${rent.amount} EUR came in`)

      const { id } = yield* ask("client.transfers.create", (signal) =>
        client.transfers.create(
          {
            kind: "BANK_TRANSFER",
            amount: salary,
            beneficiary_name: "Rui Costa",
            beneficiary_account: "PT50000201231234567890154",
            beneficiary_country: "PT",
            rail: "SEPA",
            partner_reference: `salary-${run}`
          },
          { signal }
        )
      )
      yield* reached("bank transfer accepted")
      yield* settledBy(world, reached, {
        id,
        kind: "payout",
        read: (signal) => client.transfers.get(id, { signal })
      })
      return `verified, ${iban} opened, ${rent.amount} EUR in, ${salary.amount} EUR out by SEPA`
    })
}

/** A customer with a bank account. */
export const customers: Chapter = {
  title: "Customers",
  words:
    "A customer of the partner's is verified and gets a bank account; money comes in, and money goes out to a bank.\n" +
    "Identity and banks are sandboxes here, which are told what happens.",
  scenes: [ana]
}
