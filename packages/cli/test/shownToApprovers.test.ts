import { toIso } from "@bursar/core/base/Timestamp"
import { type GrantDocument, grantText } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { type GrantEntry, fleetGenesis, tenantGenesis, verifyFleet, verifyTenant } from "@bursar/core/grant/verifyChain"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { entryToWire, proposalToWire } from "@bursar/server/handlers/operator/grants/toWire"
import { toWire } from "@bursar/server/handlers/operator/tenants/toWire"
import { approvedBy, documentOn, grantTenant, testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { programAt } from "./support/programAt.ts"

// moves up, and erases the line on which a grant of a thief stands
const writes = "\u001b[8A\u001b[2K\nChanges\u202e"

/** A chain on which a removed person has approved a destination, with the open proposal to adopt it. */
const adoptable = Effect.gen(function* () {
  const [bob, cleo] = [yield* testApprover("bob", 2), yield* testApprover("cleo", 3)]
  const root = testRoot([yield* testApprover("ann", 1), bob, cleo], 2)
  const trust = testTrust(root)
  const [start, none] = [yield* fleetGenesis(root), yield* tenantGenesis(root, grantTenant)]
  const values = {
    ...{ id: "thief", currency: "USDC_ETH", network: "ethereum", memo: null, label: "" },
    state: "ACTIVE" as const,
    ...{ address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F", usable_from: "2026-11-25T09:00:00.000Z" }
  }
  const given = yield* approvedBy(documentOn({ fleet: start, tenant: none }, "destination", values), [bob, cleo])
  const tenant = yield* verifyTenant(trust, { tenantId: grantTenant, fleet: start, entries: [given], known: none })
  const { approvers, quorum, quorums } = root
  const left = { approvers: approvers.filter(({ id }) => id !== "cleo"), quorum, quorums }
  const removal = yield* approvedBy(documentOn({ fleet: start }, "approvers", left), [bob])
  const chain = { fleet: yield* verifyFleet(trust, [removal], start), tenant }

  const now = yield* Clock.currentTimeMillis
  const expiresAt = now + 3_600_000
  const document: GrantDocument = {
    ...documentOn(chain, "adoption", {}),
    proposed_at: toIso(now),
    expires_at: toIso(expiresAt)
  }
  const text = grantText(document)
  const proposal = proposalToWire(
    { chain, now, rows: { switches: [] } },
    {
      ...{ id: "0190a5e1-682f-4b02-a706-3b2422d13aec", number: Number(document.number), hash: yield* grantHash(text) },
      ...{ document: text, approvals: [], proposedBy: "bob", proposedAt: now, expiresAt },
      ...{ decidedBy: null, decidedAt: null, reason: null },
      state: "OPEN"
    }
  )
  const told = (entry: GrantEntry) =>
    Effect.map(grantHash(entry.document), (hash) => entryToWire({ ...entry, number: 1, hash, proposalId: null }))
  return { root, proposal, fleet: [yield* told(removal)], tenant: [yield* told(given)] }
})

/** What a command prints where the service has made up the names that it may make up: all that it says of chains is true. */
const printed = Effect.fnUntraced(function* (...command: ReadonlyArray<string>) {
  const { fleet, proposal, root, tenant } = yield* adoptable
  const named = toWire(
    {
      ...{ id: grantTenant, slug: `acme${writes}`, name: "Acme", policy: defaultPolicy, createdAt: 0 },
      kind: "SANDBOX",
      status: "ACTIVE"
    },
    "bursar"
  )
  const said = { ...proposal, kind: `adoption${writes}`, subject: `all${writes}` }
  const approved = { ...proposal, approvals: [{ person: `bob${writes}`, at: proposal.proposed_at }] }
  const answers: ReadonlyArray<readonly [string, unknown]> = [
    ["/tenants", { tenants: [named], unreadable: [] }],
    ["/fleet/entries", { entries: fleet }],
    ["/entries", { entries: tenant }],
    ["/import", { contents: [{ kind: "adoption", values: {} }], left_out: [] }],
    ["/proposals", { proposals: [proposal] }],
    [`/proposals/${proposal.id}`, approved]
  ]
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
    const found = answers.find(([path]) => pathname.endsWith(path))?.[1]
    const isMade = request.method === "POST"
    const answer = isMade ? said : searchParams.get("after") === "1" ? { entries: [] } : found
    response.writeHead(isMade ? 201 : 200, { "content-type": "application/json" }).end(JSON.stringify(answer))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )
  const { port } = server.address() as AddressInfo // it listens
  const env = {
    ...process.env,
    ...{ BURSAR_OPERATOR_URL: `http://127.0.0.1:${port}`, OPERATOR_TOKEN: "t".repeat(43) },
    GRANT_ROOT: JSON.stringify(root)
  }
  const main = programAt(new URL("../src/main.ts", import.meta.url))
  const child = spawn(process.execPath, [main, ...command], { env, stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  for (const out of [child.stdout, child.stderr]) out.on("data", (part) => (text += String(part)))
  yield* Effect.promise(() => new Promise((resolve) => void child.on("close", resolve)))
  return text
})

describe("what approvers read before they sign", { timeout: 60_000 }, () => {
  for (const [says, ...command] of [
    [`acme\\u{1b}[8A`, "grant", "adopt"],
    [`bob\\u{1b}[8A`, "grant", "show", grantTenant, "0190a5e1-682f-4b02-a706-3b2422d13aec"],
    [`adoption\\u{1b}[8A`, "grant", "propose", grantTenant, "adoption"]
  ] as const)
    it.live(`is moved or erased by no name that the service makes up: ${command.slice(0, 2).join(" ")}`, () =>
      Effect.gen(function* () {
        const text = yield* printed(...command)
        assert.include(text, says)
        assert.notMatch(text.replaceAll("\n", ""), /\p{C}/u)
        assert.notMatch(text, /^Changes./mu)
      })
    )
})
