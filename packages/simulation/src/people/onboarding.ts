import { Effect } from "effect"
import { readAnswer } from "./answer.ts"
import type { AtWork } from "./AtWork.ts"
import type { Connection } from "./connection.ts"
import { makeInsist } from "./insisting.ts"
import type { Client } from "./letIn.ts"
import type { Asker } from "./meaning.ts"

const identity = JSON.stringify({
  first_name: "Ana",
  last_name: "Silva",
  date_of_birth: "1990-04-01",
  document_kind: "PASSPORT",
  document_number: "P0000000",
  document_country: "PT"
})

/** How many end users a partner brings. */
const clientsOfEach = 2

/** A partner brings its end users: it has them verified and registered, and an account opened for each. */
export const onboarding = (partner: Asker, { get, post, random, world }: AtWork & Pick<Connection, "get">) => {
  const insist = makeInsist({ post, random }, 4_000)

  const approved = Effect.fnUntraced(function* (id: string) {
    for (;;) {
      const reply = yield* get(`/v1/customers/${id}/verification`)
      if (reply !== "broken" && readAnswer(reply.body).status === "APPROVED") return
      yield* Effect.sleep(2_000)
    }
  })

  const bring = Effect.fnUntraced(function* (n: number) {
    const name = `p${partner.index}-client-${n}`
    const created = yield* insist("/v1/customers", name, JSON.stringify({ external_id: name, country: "PT" }))
    const id = created.id ?? ""
    const client: Client = { id, registered: false, accountId: null }
    partner.clients.push(client)
    yield* insist(`/v1/customers/${id}/verification`, `${name}-check`, "")
    yield* approved(id)
    const open = Effect.gen(function* () {
      const account = yield* insist(
        "/v1/accounts",
        `${name}-account`,
        JSON.stringify({ customer_id: id, currency: "EUR" })
      )
      client.accountId = account.id ?? null
    })
    const register = Effect.gen(function* () {
      yield* insist(`/v1/customers/${id}/provider-registration`, `${name}-registration`, identity)
      client.registered = true
    })
    // either may come first
    yield* Effect.all(random.chance(500) ? [open, register] : [register, open])
    world.note(`partner ${partner.index} has brought customer ${n}`)
  })

  return Effect.forEach(Array.from({ length: clientsOfEach }), (_, n) => bring(n), { discard: true })
}
