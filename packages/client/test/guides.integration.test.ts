import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { generateSigningKey } from "@bursar/client/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { onTestFinished } from "vitest"
import { accepted, event } from "./support/samples.ts"
import { json, type Reaction, refusal, stub } from "./support/stub.ts"

/** The examples of a page that stand alone, in their order. */
const examples = (page: string): ReadonlyArray<string> => {
  const text = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), "utf8")
  return Array.from(text.matchAll(/```ts\n(.*?)```/gsu), ([, code = ""]) => code)
}

/** Runs an example as it stands, beside the tests, from where it finds the package by its name. */
const run = (code: string, env: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(import.meta.dirname, ".guide-"))
  const file = join(folder, "example.mjs")
  writeFileSync(file, code)
  const child = spawn(process.execPath, [file], { cwd: folder, env: { ...process.env, ...env } })
  onTestFinished(() => {
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true })
  })
  const said = { text: "" }
  const exited = new Promise<number | null>((resolve) => void child.once("exit", resolve))
  const heard = (chunk: Buffer) => void (said.text += String(chunk))
  child.stdout.on("data", heard)
  child.stderr.on("data", heard)
  /** Resolves once the example has said it. */
  const says = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => (said.text.includes(words) ? resolve() : undefined)
      look()
      child.stdout.on("data", look)
      void exited.then(() => reject(new Error(`It has ended without saying ${words}: ${said.text}`)))
    })
  return { child, exited, said, says }
}

const ended = async ({ exited, said }: ReturnType<typeof run>): Promise<string> => {
  assert.strictEqual(await exited, 0, said.text)
  return said.text
}

/** A service that answers each path with what stands under it. */
const service = async (answers: Readonly<Record<string, Reaction>>) => {
  const { baseUrl, heard } = await stub((response, one) => {
    const path = one.url.split("?")[0] ?? ""
    const answer = answers[`${one.method} ${path}`] ?? refusal(404, "not_found")
    answer(response, one)
  })
  const { privateJwk } = await Effect.runPromise(generateSigningKey)
  const env = { BURSAR_URL: baseUrl, BURSAR_API_KEY: "key", BURSAR_SIGNING_KEY: JSON.stringify(privateJwk) }
  return { env, heard }
}

const feed: Reaction = (response, one) => {
  const isFirst = new URL(one.url, "http://stub").searchParams.get("after") === "0"
  json(200, isFirst ? { events: [event(1), event(2)], next_after: 2 } : { events: [], next_after: null })(response, one)
}

const answers: Readonly<Record<string, Reaction>> = {
  "GET /v1/whoami": json(200, { tenant: { slug: "acme" }, key: { scopes: ["deposits:read"] } }),
  "POST /v1/signature/verify": (response, one) =>
    json(200, { verified: one.headers.signature !== undefined, keyid: null, code: null, message: null })(response, one),
  "POST /v1/chain-payouts": json(201, accepted),
  "GET /v1/register": json(200, {
    entries: [{ kind: "SWAP", status: "SETTLED", amount: { amount: "7" } }],
    next_cursor: null
  }),
  "GET /v1/deposits": (response, one) => {
    const deposits = one.url.includes("after=9") ? [] : [{ status: "CONFIRMED", tx_hash: "0xabc", change_seq: 9 }]
    json(200, { deposits, next_after: 9 })(response, one)
  },
  "GET /v1/events": feed,
  "GET /v1/float": json(200, { currencies: [] })
}

/** A delivery of an event as the service makes it. */
const delivery = (secret: string) => {
  const { kind, resource_id, ...rest } = event(7)
  const body = JSON.stringify({ ...rest, type: kind, resource: { type: "operation", id: resource_id } })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`
  const headers = { "x-service-timestamp": timestamp, "x-service-signature": signature }
  return { method: "POST", headers, body }
}

/** Posts an event as the service does. */
const deliver = async (port: number, secret: string) =>
  (await fetch(`http://127.0.0.1:${port}/hooks`, delivery(secret))).status

const stop = (child: ChildProcess) => void child.kill("SIGTERM")

describe("the guides", () => {
  it("have examples that TypeScript takes as it does in the strictest of projects", async () => {
    const folder = mkdtempSync(join(import.meta.dirname, ".guide-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const options = { noEmit: true, composite: false, incremental: false, declaration: false, declarationMap: false }
    const files = ["guides/client", "guides/webhooks", "concepts/events"].flatMap(examples).map((code, index) => {
      writeFileSync(join(folder, `example${index}.ts`), code)
      return `example${index}.ts`
    })
    const config = { extends: "../../../../tsconfig.base.json", compilerOptions: options, files }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")))
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--checkers", "1"], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stdout)
  })
})

describe("the guide to the client", () => {
  const [whoami = "", payout = "", lists = "", events = "", effect = "", ...more] = examples("guides/client")

  it("has no example that is not run", () => {
    assert.lengthOf(more, 0)
    assert.lengthOf(examples("guides/webhooks"), 2)
  })

  it("finds out whose key it is", async () => {
    const { env } = await service(answers)
    const said = await ended(run(whoami, env))
    assert.include(said, "acme [ 'deposits:read' ]")
    assert.include(said, "signatures are accepted")
  })

  it("pays, and says what went wrong", async () => {
    const { env, heard } = await service(answers)
    assert.include(await ended(run(payout, env)), `${accepted.id} ACCEPTED`)
    assert.strictEqual(heard[0]?.headers["idempotency-key"], "invoice-2041")
    assert.property(heard[0]?.headers, "signature")
    const refused = { "POST /v1/chain-payouts": refusal(422, "insufficient_balance", { detail: { available: "1" } }) }
    assert.include(await ended(run(payout, (await service(refused)).env)), "top up first: { available: '1' }")
    const other = await ended(run(payout, (await service({})).env))
    assert.include(other, "not_found It is not_found. request-1")
  })

  it("reads lists", async () => {
    const { env } = await service(answers)
    const said = await ended(run(lists, env))
    assert.include(said, "SWAP SETTLED 7")
    assert.include(said, "CONFIRMED 0xabc")
  })

  it("consumes events until it is told to stop", async () => {
    const { env } = await service(answers)
    const example = run(events, env)
    await example.says("2 chain_payout.settled 12.5")
    stop(example.child)
    assert.include(await ended(example), "1 chain_payout.settled 12.5")
  })

  it("speaks Effect", async () => {
    const { env } = await service(answers)
    assert.include(await ended(run(effect, env)), "{ currencies: [] }")
    const forbidden = await service({ "GET /v1/float": refusal(403, "scope_missing") })
    assert.include(await ended(run(effect, forbidden.env)), "scope_missing")
  })
})

describe("the guide to webhooks", () => {
  const [alone = "", withFeed = ""] = examples("guides/webhooks")

  /** The port on which an example listens. */
  const portOf = async (example: ReturnType<typeof run>) => {
    await example.says("port: ")
    return Number(/port: (\d+)/u.exec(example.said.text)?.[1])
  }

  it("receives what is signed with the secret, and nothing else", async () => {
    const example = run(alone, { WEBHOOK_SECRET: "whsec_1", PORT: "0" })
    const port = await portOf(example)
    assert.strictEqual(await deliver(port, "whsec_2"), 401)
    assert.strictEqual(await deliver(port, "whsec_1"), 200)
    await example.says("7 chain_payout.settled")
  })

  it("wakes a consumer, which would have waited a minute", async () => {
    const looked = { count: 0 }
    const quietAtFirst: Reaction = (response, one) => {
      looked.count += 1
      const events = looked.count === 2 ? [event(7)] : []
      json(200, { events, next_after: events[0]?.id ?? null })(response, one)
    }
    const { env } = await service({ "GET /v1/events": quietAtFirst })
    const example = run(withFeed, { ...env, WEBHOOK_SECRET: "whsec_1", PORT: "0" })
    assert.strictEqual(await deliver(await portOf(example), "whsec_1"), 200)
    await example.says("7 chain_payout.settled")
  })
})

describe("the page about events", () => {
  const [receiver = "", ...more] = examples("concepts/events")

  it("has a receiver that runs as it stands, without any other package", async () => {
    assert.lengthOf(more, 0)
    assert.deepStrictEqual(
      Array.from(receiver.matchAll(/ from "(.*)"/gu), ([, name]) => name),
      ["@bursar/client/webhooks"]
    )
    const answered = (secret: string) => {
      const request = `new Request("https://partner.example/hooks", ${JSON.stringify(delivery(secret))})`
      return ended(
        run(`${receiver}\nconsole.log((await hooks.fetch(${request})).status)`, { WEBHOOK_SECRET: "whsec_1" })
      )
    }
    assert.include(await answered("whsec_1"), "7 chain_payout.settled")
    assert.include(await answered("whsec_2"), "401")
  })
})
