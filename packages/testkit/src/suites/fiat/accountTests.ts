import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { secrets, somebody } from "../../fixtures/people.ts"
import type { SuiteIt } from "../harness.ts"
import { deafFaults } from "../../fixtures/ProviderFault.ts"
import { centsOf, type FiatTerms, FiatWorld } from "./FiatWorld.ts"
import { activeAccount, registered } from "./orders.ts"

/** Whether an IBAN's check digits are right (ISO 7064, MOD 97-10). */
const isIban = (iban: string): boolean => {
  const moved = iban.slice(4) + iban.slice(0, 4)
  const digits = moved.replace(/[A-Z]/gu, (letter) => String(letter.charCodeAt(0) - 55))
  return /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/u.test(iban) && BigInt(digits) % 97n === 1n
}

/** Nothing of the person may be found in what is said about them. */
const assertSilent = (said: unknown): void => {
  const text = JSON.stringify(said)
  for (const secret of secrets) assert.notInclude(text, secret)
}

/** A reference gives one customer and one account, and nobody's identity comes back out. */
export const accountTests = (it: SuiteIt<FiatWorld>, timeoutMs: number, terms: FiatTerms): void => {
  it.effect(
    "a person is registered once for each reference, and nothing of them comes back",
    () =>
      Effect.gen(function* () {
        const { provider } = yield* FiatWorld
        const order = { reference: crypto.randomUUID(), isBusiness: false, identity: somebody }
        const first = yield* provider.register(order)
        const again = yield* provider.register(order)
        if (first._tag !== "Done" || again._tag !== "Done") return assert.fail("not registered")
        assert.isTrue(first.value.newlyRegistered)
        assert.strictEqual(again.value.providerCustomerId, first.value.providerCustomerId)
        assertSilent([first, again])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "an account is opened once for each reference, and gets its details",
    () =>
      Effect.gen(function* () {
        const { activate, provider } = yield* FiatWorld
        const order = {
          reference: crypto.randomUUID(),
          providerCustomerId: yield* registered,
          currency: "EUR",
          country: "PT"
        }
        const [first, again] = [yield* provider.openAccount(order), yield* provider.openAccount(order)]
        if (first._tag !== "Done" || again._tag !== "Done") return assert.fail("not opened")
        const { providerAccountId } = first.value
        assert.strictEqual(again.value.providerAccountId, providerAccountId)
        yield* activate(providerAccountId)
        const active = yield* provider.account(providerAccountId)
        assert.strictEqual(active.status, "ACTIVE")
        assert.strictEqual(active.providerAccountId, providerAccountId)
        assert.isTrue(isIban(active.iban ?? ""), `${active.iban} is no IBAN`)
        assert.isNotEmpty(active.holderName)
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a currency that the provider does not have is refused",
    () =>
      Effect.gen(function* () {
        const { provider } = yield* FiatWorld
        const answer = yield* provider.openAccount({
          reference: crypto.randomUUID(),
          providerCustomerId: yield* registered,
          currency: "XAU",
          country: null
        })
        assert.strictEqual(answer._tag, "Refused")
      }),
    timeoutMs
  )

  it.effect(
    "what arrives is told once, exactly, in the order in which it came",
    () =>
      Effect.gen(function* () {
        const { arrive, provider } = yield* FiatWorld
        const account = yield* activeAccount()
        assert.deepStrictEqual(yield* provider.incoming(account, null), [])
        const first = yield* arrive(account, "1234567.89", "rent")
        const second = yield* arrive(account, "0.01", "a cent")
        const all = yield* provider.incoming(account, null)
        assert.deepStrictEqual(
          all.map(({ amount, id, providerAccountId }) => ({ amount, id, providerAccountId })),
          [
            { amount: { units: 123_456_789n, currency: "EUR" }, id: first, providerAccountId: account },
            { amount: { units: 1n, currency: "EUR" }, id: second, providerAccountId: account }
          ]
        )
        // what was told before may be told again
        const told = (after: string) =>
          Effect.map(provider.incoming(account, after), (again) => {
            for (const one of again) assert.deepInclude(all, one)
            return again.map(({ id }) => id)
          })
        assert.strictEqual((yield* told(first)).at(-1), second)
        for (const after of [first, second]) assert.isAtMost((yield* told(after)).length, 2)
        assert.deepStrictEqual(yield* provider.incoming(yield* activeAccount(), null), [])
      }),
    timeoutMs
  )

  it.effect(
    "what arrives is told in the currency in which it came, however much has arrived",
    () =>
      Effect.gen(function* () {
        const { arrive, provider } = yield* FiatWorld
        for (const currency of ["EUR", ...terms.currencies]) {
          const account = yield* activeAccount(currency)
          const amounts = Array.from({ length: terms.pageSize + 1 }, (_, index) => `1.${String((index % 90) + 10)}`)
          const ids = yield* Effect.forEach(amounts, (amount) => arrive(account, amount, "rent"))
          const all = yield* provider.incoming(account, null)
          assert.deepStrictEqual(
            all.map(({ amount, id }) => ({ amount, id })),
            ids.map((id, index) => ({ amount: { units: centsOf(amounts[index] ?? ""), currency }, id }))
          )
          const later = yield* provider.incoming(account, ids[0] ?? null)
          assert.deepStrictEqual(
            later.filter(({ id }) => id !== ids[0]),
            all.slice(1)
          )
        }
      }),
    timeoutMs
  )

  if (!terms.has.includes("faults")) return

  for (const fault of deafFaults) {
    it.effect(
      `nothing is concluded about accounts from a provider that is ${fault}`,
      () =>
        Effect.gen(function* () {
          const { breakProvider, heal, provider } = yield* FiatWorld
          const account = yield* activeAccount()
          const order = { reference: crypto.randomUUID(), isBusiness: false, identity: somebody }
          yield* breakProvider(fault)
          const person = yield* provider.register(order)
          const read = yield* Effect.flip(provider.account(account))
          const arrived = yield* Effect.flip(provider.incoming(account, null))
          yield* heal
          assert.strictEqual(person._tag, "Unknown")
          assert.deepStrictEqual([read._tag, arrived._tag], ["ProviderError", "ProviderError"])
          assertSilent([person, read, arrived, read.message])
        }).pipe(Effect.ensuring(Effect.flatMap(FiatWorld, ({ heal }) => heal))),
      timeoutMs
    )
  }

  it.effect(
    "a registration whose answer was lost leads to the same customer",
    () =>
      Effect.gen(function* () {
        const { breakProvider, heal, provider } = yield* FiatWorld
        const order = { reference: crypto.randomUUID(), isBusiness: false, identity: somebody }
        yield* breakProvider("lost")
        const lost = yield* provider.register(order)
        yield* heal
        assert.strictEqual(lost._tag, "Unknown")
        const [found, again] = [yield* provider.register(order), yield* provider.register(order)]
        assert.strictEqual(found._tag, "Done")
        assert.deepStrictEqual(
          found._tag === "Done" && found.value.providerCustomerId,
          again._tag === "Done" && again.value.providerCustomerId
        )
        assertSilent([lost, found])
      }).pipe(Effect.ensuring(Effect.flatMap(FiatWorld, ({ heal }) => heal))),
    timeoutMs
  )
}
