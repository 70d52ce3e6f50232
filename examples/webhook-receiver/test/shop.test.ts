import { createHmac } from "node:crypto"
import { expect, test } from "vitest"
import { makeShop } from "../src/shop.ts"

const secret = "whsec_of_this_test"

const event = (id: number, amount: string) => ({
  id,
  type: "deposit.settled",
  resource: { type: "operation", id: "019845e1-682f-7b02-a706-3b2422d13aec" },
  occurred_at: "2026-01-01T00:00:00.000Z",
  data: { operation_id: "019845e1-682f-7b02-a706-3b2422d13aec", amount, currency: "USDT_ETH" }
})

/** A delivery as the service makes it. */
const delivery = (body: unknown, signedWith: string, now = Date.now()) => {
  const rawBody = JSON.stringify(body)
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac("sha256", signedWith).update(`${timestamp}.${rawBody}`).digest("hex")
  return new Request("https://shop.example/hooks", {
    method: "POST",
    headers: { "x-service-timestamp": timestamp, "x-service-signature": `v1=${signature}` },
    body: rawBody
  })
}

test("an invoice is paid once, however often its event is delivered", async () => {
  const shop = makeShop([secret])
  const paid = await shop.fetch(delivery(event(1, "25"), secret))
  const again = await shop.fetch(delivery(event(1, "99"), secret))
  expect([paid.status, again.status]).toEqual([200, 200])
  expect([...shop.paid.values()]).toEqual(["25 USDT_ETH"])
})

test("nothing is booked that another secret signed, or that is old", async () => {
  const shop = makeShop([secret])
  const forged = await shop.fetch(delivery(event(1, "25"), "another"))
  const old = await shop.fetch(delivery(event(1, "25"), secret, Date.now() - 600_000))
  expect([forged.status, old.status]).toEqual([401, 401])
  expect(shop.paid.size).toBe(0)
})

test("both secrets are taken while one replaces the other", async () => {
  const shop = makeShop(["the_new_one", secret])
  expect((await shop.fetch(delivery(event(1, "25"), secret))).status).toBe(200)
  expect((await shop.fetch(delivery(event(2, "25"), "the_new_one"))).status).toBe(200)
})
