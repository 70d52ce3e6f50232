import { afterAll, expect, test } from "vitest"
import { GET, PATCH } from "../src/route.ts"
import { service } from "../src/service.ts"

afterAll(service.dispose)

const url = "https://example.test/v1/whoami"

test("a partner calls through the route handlers, from where it may", async () => {
  const key = await service.addPartner("acme", ["192.0.2.0/24"])
  const from = (address: string) =>
    GET(new Request(url, { headers: { authorization: `Bearer ${key}`, "x-real-ip": address } }))
  const answer = await from("192.0.2.1")
  expect([answer.status, await answer.json()]).toMatchObject([200, { tenant: { slug: "acme" } }])
  expect((await from("198.51.100.1")).status).toBe(403)
})

test("a method that a path does not have is answered by the service", async () => {
  const key = await service.addPartner("other", ["192.0.2.0/24"])
  const answer = await PATCH(
    new Request(url, { method: "PATCH", headers: { authorization: `Bearer ${key}`, "x-real-ip": "192.0.2.1" } })
  )
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"])
})
