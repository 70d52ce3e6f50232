import {
  closedContradictionsMax,
  contradictionsMax,
  contradictedBy,
  type Contradicting,
  contradictionsOf,
  withContradictionsClosed
} from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const bare = bareOperation({ newId: () => newIdAt(1), now: 1, tenant: tenantRecord(1) }, { kind: "SWAP" })
const failed: Operation = { ...bare, status: "FAILED", providerReference: "own", details: { told_reference: "first" } }

const word = fc.record({
  said: fc.constantFrom("settled", "settled by 0x2", "denied", "on its way"),
  moved: fc.boolean(),
  reference: fc.constantFrom("own", "first", "other", null)
})
const step = fc.oneof(
  { weight: 4, arbitrary: word.map((one) => ({ _tag: "said" as const, ...one })) },
  { weight: 2, arbitrary: fc.constant({ _tag: "closed" as const }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("FAILED", "RETURNED", "SETTLED")
      .map((status) => ({ _tag: "moved" as const, status }) as const)
  },
  { weight: 1, arbitrary: fc.constant({ _tag: "resolved" as const }) }
)

const keyOf = ({ moved, said }: Contradicting, reference: string | null) => [reference ?? "-", said, moved].join("|")

describe("closing what contradicts an operation", () => {
  it("hides nothing that would be news had nobody closed anything, and each word under other books is news once", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        // one that operators close now and then, and its twin that nobody closes
        let [one, twin] = [failed, failed]
        // the reference: what is open, and under which books (status, count of resolutions) each word was closed
        let open = new Set<string>()
        const closed = new Map<string, string>()
        let books = 0
        const of = (operation: Operation) => `${operation.status} ${books}`
        steps.forEach((each, at) => {
          const now = 10 * (at + 1)
          if (each._tag === "closed") {
            if (open.size === 0) return
            for (const key of open) closed.set(key, of(one))
            open = new Set()
            one = withContradictionsClosed(one, { at: now, by: "anna", reason: "done" })
            return assert.deepStrictEqual(contradictionsOf(one), [])
          }
          if (each._tag === "moved") {
            one = { ...one, status: each.status }
            twin = { ...twin, status: each.status }
            return
          }
          if (each._tag === "resolved") {
            books += 1
            one = { ...one, details: { ...one.details, resolution: { at: now } } }
            twin = { ...twin, details: { ...twin.details, resolution: { at: now } } }
            return
          }
          const { reference, ...said } = each
          const [after, without] = [
            contradictedBy(one, said, now, reference),
            contradictedBy(twin, said, now, reference)
          ]
          const key = keyOf(said, reference)
          const ofIt = [...open].filter((other) => other.startsWith(`${reference ?? "-"}|`))
          // whoever says otherwise of an order takes back that money has moved by it
          if (!said.moved)
            for (const other of closed.keys())
              if (other.startsWith(`${reference ?? "-"}|`) && other.endsWith("|true")) closed.delete(other)
          const isOpen = said.moved
            ? ofIt.some((other) => other.startsWith(`${reference ?? "-"}|${said.said}|`))
            : ofIt.length > 0
          const isNews = !isOpen && closed.get(key) !== of(one)
          const isNoted = after !== undefined && contradictionsOf(after).length > contradictionsOf(one).length
          assert.strictEqual(isNoted, isNews, `${key} at ${at}`)
          if (
            without !== undefined &&
            contradictionsOf(twin).length < contradictionsMax &&
            closed.get(key) !== of(one) &&
            !isOpen
          )
            assert.isDefined(after, `hidden by a closing: ${key}`)
          if (isNoted) open.add(key)
          one = after ?? one
          twin = without ?? twin
        })
        assert.isAtMost((one.details.closed_contradictions ?? []).length, closedContradictionsMax)
      }),
      { numRuns: 1_000 }
    ))
})
