import { assert, it } from "@effect/vitest"
import { localOf, withFilters } from "../src/screens/operations/withFilters.ts"

const given = () =>
  new URLSearchParams("tenant_id=T&network=ethereum&kind=ADJUSTMENT&created_after=2026-11-30T12:00:30Z")

it("choosing one filter leaves all others of the address, also those that the form cannot show yet", () => {
  assert.strictEqual(
    withFilters(given(), [["kind", "DEPOSIT"]]).toString(),
    new URLSearchParams("tenant_id=T&network=ethereum&kind=DEPOSIT&created_after=2026-11-30T12:00:30Z").toString()
  )
  assert.isNull(withFilters(given(), [["tenant_id", ""]]).get("tenant_id"))
  assert.strictEqual(withFilters(given(), [["currency", " ETH "]]).get("currency"), "ETH")
})

it("a moment that the form shows without its seconds stays as it was until it is another", () => {
  const shown = localOf("2026-11-30T12:00:30Z")
  assert.strictEqual(withFilters(given(), [["created_after", shown]]).get("created_after"), "2026-11-30T12:00:30Z")
  const later = withFilters(given(), [["created_after", "2026-12-01T08:30"]]).get("created_after") ?? ""
  assert.strictEqual(localOf(later), "2026-12-01T08:30")
})
