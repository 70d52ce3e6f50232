/** The domain: money, ledger, deposits, the engine. Pure: it depends on effect alone. */
export {}
