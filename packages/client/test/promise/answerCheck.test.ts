import { createClient, isOutcomeUnknown } from "@bursar/client"
import { assert, describe, it } from "@effect/vitest"
import { accepted, id, payout } from "../support/samples.ts"
import { hangUp, json, type Reaction, stub } from "../support/stub.ts"

/** What something between client and service writes while the service is down. */
const inBetween = {
  "a maintenance page": { maintenance: true },
  "a page with a status": { status: "maintenance", message: "We are back at noon.", id: 7 },
  "a list": [],
  "nothing at all": {},
  "an error": { error: "down" }
}

const service = async (...reactions: ReadonlyArray<Reaction>) => {
  const { baseUrl } = await stub(...reactions)
  return createClient({ baseUrl, apiKey: "key", retry: { firstDelayMs: 1, delayMsMax: 1 } })
}

describe("JSON of something in between", () => {
  for (const [name, body] of Object.entries(inBetween)) {
    it(`is no accepted payout, and leaves open whether there is one: ${name}`, async () => {
      const { chainPayouts } = await service(json(200, body))
      const outcome: unknown = await chainPayouts.create(payout).catch((error: unknown) => error)
      assert.include(outcome, { code: "answer_unreadable", status: 200 })
      assert.isTrue(isOutcomeUnknown(outcome))
    })

    it(`does not settle an attempt that was lost: ${name}`, async () => {
      const { chainPayouts } = await service(hangUp, json(200, body))
      const outcome: unknown = await chainPayouts.create(payout).catch((error: unknown) => error)
      assert.isTrue(isOutcomeUnknown(outcome), String(outcome))
    })
  }

  it("is no list of withdrawals", async () => {
    const { withdrawals } = await service(json(200, { maintenance: true }))
    const outcome: unknown = await withdrawals.list().catch((error: unknown) => error)
    assert.include(outcome, { code: "answer_unreadable" })
  })
})

describe("an answer of the service", () => {
  it("may lack what an older service does not know, and have what a later one adds", async () => {
    const { review: _, unresolved: __, ...older } = accepted
    const answer = { ...older, later: { added: true } }
    const { chainPayouts } = await service(json(200, answer))
    assert.deepEqual<unknown>(await chainPayouts.get(id), answer)
  })

  it("may be an empty list", async () => {
    const { withdrawals } = await service(json(200, []))
    assert.deepStrictEqual(await withdrawals.list(), [])
  })
})
