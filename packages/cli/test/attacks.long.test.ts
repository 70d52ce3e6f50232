import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { tableOf, type Tried, tryAttack } from "./attacks/Attack.ts"
import { AttackedService } from "./attacks/AttackedService.ts"
import { byApiKey } from "./attacks/byApiKey.ts"
import { byDatabase } from "./attacks/byDatabase.ts"
import { byNode } from "./attacks/byNode.ts"
import { byOperator } from "./attacks/byOperator.ts"
import { byServer } from "./attacks/byServer.ts"

const tried: Array<Tried> = []

afterAll(() => {
  if (process.env["ATTACK_TABLE"] !== undefined) process.stdout.write(tableOf(tried))
})

layer(AttackedService.layer, { excludeTestServices: true, timeout: 180_000 })(
  "nothing moves, an alarm is left, and others are paid when",
  (it) => {
    for (const attacker of [byApiKey, byOperator, byNode, byServer, byDatabase])
      for (const attack of attacker.attacks)
        it.effect(`${attacker.attacker} ${attack.title}`, () =>
          Effect.gen(function* () {
            tried.push(yield* tryAttack(yield* AttackedService, attacker, attack))
          })
        )
  }
)
