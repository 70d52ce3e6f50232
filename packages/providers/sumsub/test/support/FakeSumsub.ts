import type { Received, Reply } from "@bursar/testkit/fixtures/FaultyServer"
import { createHmac, randomBytes } from "node:crypto"

export const appToken = "sbx:token"
export const secretKey = "the secret key"
export const webhookSecret = "the webhook secret"
export const levels = { individual: "basic kyc & more", business: "company-level" }

interface Applicant {
  readonly id: string
  readonly externalUserId: string
  readonly levelName: string
  review: Record<string, unknown>
  /** Stands with the applicant's data, and in no answer about its review. */
  deleted?: boolean
}

const refuse = (status: number, description: string): Reply => ({
  status,
  json: { code: status, description, correlationId: "req-5fd59b09-7f5e-41cd-a86b-38a4e6d57e08" }
})

/** Sumsub's form of a date: UTC, in whole seconds. */
const dateOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}+0000`

/** As much of Sumsub as the adapter talks to. It answers nobody whose signature is not right to the byte. */
export class FakeSumsub {
  readonly applicants: Array<Applicant> = []
  /** What became of the requests, for tests that look at them. */
  readonly received: Array<Received> = []
  /** Answers with this instead, once. */
  readonly nextReplies: Array<Reply> = []
  /** Each verdict is a second later than the one before, and later than any answer so far. */
  clock = Math.floor(Date.now() / 1000) * 1000

  readonly handle = (received: Received): Reply => {
    this.received.push(received)
    const { body, headers, method, target, url } = received
    const seconds = headers["x-app-access-ts"] ?? ""
    const signature = createHmac("sha256", secretKey).update(`${seconds}${method}${target}${body}`).digest("hex")
    if (headers["x-app-token"] !== appToken) return refuse(401, "no such token")
    if (Math.abs(Number(seconds) * 1000 - Date.now()) > 60_000) return refuse(401, "the timestamp is too far off")
    if (headers["x-app-access-sig"] !== signature) return refuse(401, "the signature is wrong")
    if (headers["traceparent"] !== undefined || headers["b3"] !== undefined) return refuse(400, "a trace leaked")
    const scripted = this.nextReplies.shift()
    const reply = scripted ?? this.answer(method, url, body)
    if (typeof reply === "string") return reply
    return { ...reply, headers: { date: new Date(this.clock).toUTCString(), ...reply.headers } }
  }

  private answer(method: string, url: URL, body: string): Reply {
    const path = url.pathname
    const found = /^\/resources\/applicants\/-\/byExternalUserId\/([^/]+)$/u.exec(path)
    if (method === "GET" && found !== null) {
      const applicant = this.of(decodeURIComponent(found[1] ?? ""))
      return { status: 200, json: applicant === undefined ? { exists: false } : { exists: true, applicant } }
    }
    if (method === "POST" && path === "/resources/applicants") return this.create(url, body)
    const asked = /^\/resources\/applicants\/([^/]+)\/(one|status)$/u.exec(path)
    if (method === "GET" && asked !== null) {
      const [, id, what] = asked
      const applicant = this.applicants.find((one) => one.id === id)
      if (applicant === undefined) return refuse(404, "no such applicant")
      return { status: 200, json: what === "one" ? applicant : applicant.review }
    }
    if (method === "POST" && path === "/resources/sdkIntegrations/levels/-/websdkLink") return this.link(body)
    return refuse(404, `no such endpoint: ${method} ${path}`)
  }

  private create(url: URL, body: string): Reply {
    const levelName = url.searchParams.get("levelName") ?? ""
    const { externalUserId, type, ...others } = JSON.parse(body) as Record<string, string>
    const wanted = type === "company" ? levels.business : levels.individual
    if (levelName !== wanted) return refuse(400, "no such level")
    if (externalUserId === undefined || Object.keys(others).length > 0) return refuse(400, "wrong fields")
    if (this.of(externalUserId) !== undefined) return refuse(409, "Applicant already exists")
    const review = { levelName, reviewStatus: "init", createDate: dateOf(this.clock) }
    const applicant = { id: randomBytes(12).toString("hex"), externalUserId, levelName, review }
    this.applicants.push(applicant)
    return { status: 201, json: applicant }
  }

  private link(body: string): Reply {
    const { levelName, ttlInSecs, userId } = JSON.parse(body) as Record<string, unknown>
    const applicant = this.of(String(userId))
    if (applicant === undefined || levelName !== applicant.levelName || typeof ttlInSecs !== "number") {
      return refuse(400, "wrong fields")
    }
    return { status: 200, json: { url: `https://in.sumsub.example/websdk/p/${applicant.id}` } }
  }

  of(externalUserId: string): Applicant | undefined {
    return this.applicants.find((applicant) => applicant.externalUserId === externalUserId)
  }

  review(applicantId: string, changes: Record<string, unknown>): void {
    this.clock += 1_000
    const applicant = this.applicants.find(({ id }) => id === applicantId)
    if (applicant === undefined) throw new Error(`no applicant ${applicantId}`)
    applicant.review = { levelName: applicant.levelName, ...changes }
  }

  /** Makes an applicant inactive: its review stays as it is. */
  deactivate(applicantId: string): void {
    this.clock += 1_000
    const applicant = this.applicants.find(({ id }) => id === applicantId)
    if (applicant === undefined) throw new Error(`no applicant ${applicantId}`)
    applicant.deleted = true
  }

  complete(applicantId: string, reviewResult: Record<string, unknown>): void {
    this.review(applicantId, { reviewStatus: "completed", reviewDate: dateOf(this.clock + 1_000), reviewResult })
  }
}

/** A webhook as Sumsub signs it. */
export const webhookOf = (payload: unknown, algorithm = "HMAC_SHA256_HEX", secret = webhookSecret) => {
  const body = new TextEncoder().encode(JSON.stringify(payload))
  const hash = { HMAC_SHA1_HEX: "sha1", HMAC_SHA256_HEX: "sha256", HMAC_SHA512_HEX: "sha512" }[algorithm] ?? "sha256"
  return {
    body,
    headers: {
      "x-payload-digest": createHmac(hash, secret).update(body).digest("hex"),
      "x-payload-digest-alg": algorithm
    }
  }
}
