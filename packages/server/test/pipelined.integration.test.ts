import { seeded } from "@bursar/testkit/fixtures/seeded"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Partner } from "./support/Partner.ts"
import { sendBytes } from "./support/rawRequest.ts"

/** An answer among those that came over one connection. */
interface Heard {
  readonly status: number
  readonly id: string | undefined
  readonly ends: boolean
  readonly body: string
}

/** Reads answers that follow each other; `heads` says of which only the head comes. */
const readAnswers = (text: string, heads: ReadonlyArray<boolean>): ReadonlyArray<Heard> => {
  const heard: Array<Heard> = []
  let rest = text
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n") + 4
    const head = rest.slice(0, end)
    const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, "imu").exec(head)?.[1]
    assert.match(head, /^HTTP\/1\.1 \d{3} /u)
    const length = heads[heard.length] === true ? 0 : Number(header("content-length"))
    heard.push({
      status: Number(head.slice(9, 12)),
      id: header("x-request-id"),
      ends: header("connection") === "close",
      body: rest.slice(end, end + length)
    })
    rest = rest.slice(end + length)
  }
  return heard
}

/** A request as bytes but for its id, and which tenant may be told of in its answer. */
interface Kind {
  readonly status: number
  readonly slug?: string
  readonly isHead?: boolean
  readonly lines: ReadonlyArray<string>
  readonly body?: string
}

const bytesOf = ({ body = "", lines: [first = "", ...lines] }: Kind, id: string, isLast: boolean): string =>
  `${[first, "host: api.example.test", `x-request-id: ${id}`, `connection: ${isLast ? "close" : "keep-alive"}`, ...lines].join("\r\n")}\r\n\r\n${body}`

const json = "content-type: application/json"

const sequences = 25

const requestsMax = 8

layer(Partner.layer(), { excludeTestServices: true })(
  "requests that are sent over one connection without waiting",
  (it) => {
    it.effect("are each answered as if sent alone, in order, and tell nobody of another tenant", () =>
      Effect.gen(function* () {
        const { seeder, url } = yield* Partner
        const { key, tenant } = seeder
        const own = (slug: string, secret: string): Kind => ({
          status: 200,
          slug,
          lines: ["GET /v1/whoami HTTP/1.1", `authorization: Bearer ${secret}`]
        })
        const [one, two] = [yield* tenant(), yield* tenant()]
        const secret = yield* key(one)
        const write = (...lines: ReadonlyArray<string>) => [
          "POST /v1/customers HTTP/1.1",
          `authorization: Bearer ${secret}`,
          ...lines
        ]
        const kinds: ReadonlyArray<Kind> = [
          own(`tenant-1`, secret),
          own(`tenant-2`, yield* key(two)),
          { status: 401, lines: ["GET /v1/whoami HTTP/1.1"] },
          { status: 401, lines: ["GET /v1/whoami HTTP/1.1", "authorization: Bearer nothing"] },
          { status: 404, lines: ["GET /v1/nothing HTTP/1.1", `authorization: Bearer ${secret}`] },
          { status: 405, lines: ["DELETE /v1/whoami HTTP/1.1", `authorization: Bearer ${secret}`] },
          { status: 200, isHead: true, lines: ["HEAD /v1/whoami HTTP/1.1", `authorization: Bearer ${secret}`] },
          { status: 400, lines: write(json, "content-length: 1"), body: "{" },
          { status: 400, lines: write(json, "transfer-encoding: chunked"), body: "1\r\n{\r\n0\r\n\r\n" },
          // a body that reads like a request is none
          {
            status: 400,
            lines: write(json, "content-length: 32"),
            body: "GET /v1/whoami HTTP/1.1\r\nhost: x\r\n".slice(0, 32)
          }
        ]
        const below = seeded(20_261_126)
        for (let sequence = 0; sequence < sequences; sequence++) {
          const asked = Array.from({ length: 2 + below(requestsMax - 1) }, () => kinds[below(kinds.length)]).filter(
            (kind) => kind !== undefined
          )
          const idOf = (index: number) => `r${sequence}-${index}`
          const bytes = asked.map((kind, index) => bytesOf(kind, idOf(index), index === asked.length - 1)).join("")
          const heard = readAnswers(
            yield* sendBytes(url, bytes),
            asked.map(({ isHead }) => isHead === true)
          )
          const said = JSON.stringify({ asked, heard })
          for (const [index, answer] of heard.entries()) {
            assert.strictEqual(answer.id, idOf(index), said)
            assert.strictEqual(answer.status, asked[index]?.status, said)
            for (const slug of ["tenant-1", "tenant-2"]) {
              assert.strictEqual(answer.body.includes(`"${slug}"`), asked[index]?.slug === slug, said)
            }
          }
          // what comes after an answer that ends the connection is not answered; all else is
          const last = heard.findIndex(({ ends }) => ends)
          assert.strictEqual(heard.length, last + 1, said)
          assert.strictEqual(heard.length, asked.length, said)
        }
      })
    )
  }
)
