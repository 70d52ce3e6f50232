import { assert, it } from "@effect/vitest"
import { gather, gatherMs, type Topics, unansweredMs } from "../src/api/gather.ts"

/** A clock of which the test says what time it is, and rounds that end when the test says so. */
const world = () => {
  let now = 0
  const due = new Set<{ readonly at: number; readonly run: () => void }>()
  const rounds: Array<{
    readonly at: number
    readonly topics: Topics
    readonly end: () => void
    readonly heard: () => void
  }> = []
  const gathered = gather(
    (topics, heard) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      rounds.push({ at: now, topics, end: resolve, heard })
      return promise
    },
    {
      now: () => now,
      after: (ms, run) => {
        const one = { at: now + ms, run }
        due.add(one)
        return () => due.delete(one)
      }
    }
  )
  const goTo = (at: number) => {
    now = at
    for (const one of due) if (one.at <= now && due.delete(one)) one.run()
  }
  const end = (round: number) => {
    rounds[round]?.end()
    // what waits for the round goes on before the test does
    return new Promise((resolve) => setImmediate(resolve))
  }
  const hear = (round: number) => rounds[round]?.heard()
  return { gathered, goTo, end, hear, rounds: () => rounds.map(({ at, topics }) => ({ at, topics })) }
}

it("a round that takes long is read to its end before what happened meanwhile is read, and leaves the service as long a rest", async () => {
  const { end, gathered, goTo, rounds } = world()
  gathered.add(["operations"])
  goTo(0)
  const first = { at: 0, topics: new Set(["operations"]) }
  assert.deepStrictEqual<unknown>(rounds(), [first])
  // something every second, for as long as the round takes: none of it begins another
  for (let at = 1_000; at <= 19_000; at += 1_000) {
    goTo(at)
    gathered.add(at === 1_000 ? ["deposits"] : ["operations"])
  }
  assert.deepStrictEqual<unknown>(rounds(), [first])
  await end(0)
  goTo(37_000)
  assert.deepStrictEqual<unknown>(rounds(), [first])
  goTo(38_000)
  assert.deepStrictEqual<unknown>(rounds(), [first, { at: 38_000, topics: new Set(["deposits", "operations"]) }])
})

it("a quick round is followed by the next after the shortest time, and by none where nothing is new", async () => {
  const { end, gathered, goTo, rounds } = world()
  gathered.add("all")
  goTo(0)
  goTo(100)
  await end(0)
  goTo(60_000)
  assert.strictEqual(rounds().length, 1)
  gathered.add(["actions"])
  goTo(60_000)
  await end(1)
  gathered.add([])
  gathered.add(["service"])
  goTo(60_000 + gatherMs - 1)
  assert.strictEqual(rounds().length, 2)
  goTo(60_000 + gatherMs)
  assert.deepStrictEqual<unknown>(
    rounds().map(({ topics }) => topics),
    ["all", new Set(["actions"]), new Set(["service"])]
  )
})

it("a round is given up once nothing of it has come for long, so that one request without an answer stops no other", async () => {
  const { end, gathered, goTo, hear, rounds } = world()
  gathered.add(["operations"])
  goTo(0)
  gathered.add(["deposits"])
  goTo(unansweredMs - 1)
  hear(0)
  goTo(2 * unansweredMs - 2)
  goTo(10 * unansweredMs - 1)
  assert.strictEqual(rounds().length, 1)
  // it has been given up at the last of these moments, and the service rests for as long as it took
  goTo(20 * unansweredMs)
  assert.strictEqual(rounds().length, 2)
  // its late end is none of the second round
  gathered.add(["actions"])
  await end(0)
  hear(0)
  goTo(20 * unansweredMs + gatherMs)
  assert.strictEqual(rounds().length, 2)
})

it("nothing is read any more once it was stopped, also after a round that was under way", async () => {
  const { end, gathered, goTo, rounds } = world()
  gathered.add("all")
  goTo(0)
  gathered.add("all")
  gathered.stop()
  await end(0)
  gathered.add("all")
  goTo(60_000)
  assert.strictEqual(rounds().length, 1)
})
