import { chainReaderSuite } from "@bursar/testkit/suites/chainReaderSuite"
import { Layer } from "effect"
import { chainWorld, World } from "./support/World.ts"

chainReaderSuite("tron", Layer.provide(chainWorld, World.layer), { has: ["token", "sendTwice", "reorg", "faults"] })
