import { createHmac } from "node:crypto"
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import { importPublicKey } from "@bursar/api/signature/Ed25519"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import type * as Main from "@bursar/client"
import { generateSigningKey } from "@bursar/client/effect"
import type * as Webhooks from "@bursar/client/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { bundle } from "./support/bundle.ts"
import { accepted, payout } from "./support/samples.ts"

const entry = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))

/** What every runtime has that has `fetch` (WinterTC's minimum common API), and nothing of Node. */
const webGlobals = {
  ...{
    AbortController,
    AbortSignal,
    FormData,
    Headers,
    ReadableStream,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    URL
  },
  ...{ URLSearchParams, atob, btoa, clearTimeout, console, crypto, fetch, performance, queueMicrotask, setTimeout }
}

/** Runs an entry point where nothing but these globals is. */
const load = async (name: string): Promise<unknown> => {
  const { code } = await bundle(entry(name))
  return runInContext(`${code}; bundled`, createContext({ ...webGlobals }))
}

describe("outside of Node", () => {
  it("no entry point but `node` needs anything of Node", async () => {
    for (const name of ["index", "webhooks", "effect"]) {
      assert.deepStrictEqual((await bundle(entry(name))).builtIns, [], name)
    }
    // `process` is a global there
    assert.sameMembers(
      [...(await bundle(entry("node"))).builtIns],
      ["node:fs/promises", "node:path"],
      "the check sees what is imported"
    )
  })

  it("a payout is signed and sent with what the web has", async () => {
    const { privateJwk, publicJwk } = await Effect.runPromise(generateSigningKey)
    const { createClient } = (await load("index")) as typeof Main
    const seen: Array<Request> = []
    const client = createClient({
      baseUrl: "https://api.example.test",
      apiKey: "key",
      signingKey: privateJwk,
      fetch: async (input, init) => {
        seen.push(new Request(input, init))
        return seen.length === 1 ? new Response("busy", { status: 503 }) : Response.json(accepted, { status: 201 })
      }
    })
    assert.deepEqual({ ...(await client.chainPayouts.create(payout)) }, accepted)
    const key = await Effect.runPromise(importPublicKey(publicJwk))
    for (const request of seen) {
      const body = new Uint8Array(await request.arrayBuffer())
      const header = (name: string) => (name === "host" ? "api.example.test" : (request.headers.get(name) ?? undefined))
      const { outcome } = await Effect.runPromise(
        verifyRequest(
          { method: request.method, target: "/v1/chain-payouts", header, body },
          { isOurs: () => true, findKey: () => Effect.succeed(key), now: Date.now() }
        )
      )
      assert.isTrue(Result.isSuccess(outcome))
    }
    assert.lengthOf(seen, 2)
  })

  it("a webhook is verified with what the web has", async () => {
    const { createWebhookReceiver } = (await load("webhooks")) as typeof Webhooks
    const handled: Array<number> = []
    const hooks = createWebhookReceiver({ secrets: ["whsec_1"], onEvent: ({ id }) => void handled.push(id) })
    const body = JSON.stringify({
      id: 7,
      type: "deposit.confirmed",
      resource: { type: "deposit", id: accepted.id },
      occurred_at: "2027-01-15T08:00:00.000Z",
      data: {}
    })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac("sha256", "whsec_1").update(`${timestamp}.${body}`).digest("hex")
    const deliver = (hex: string) =>
      hooks.fetch(
        new Request("https://partner.example/hooks", {
          method: "POST",
          headers: { "x-service-timestamp": timestamp, "x-service-signature": `v1=${hex}` },
          body
        })
      )
    assert.strictEqual((await deliver(signature)).status, 200)
    assert.strictEqual((await deliver("00".repeat(32))).status, 401)
    assert.deepStrictEqual(handled, [7])
  })
})
