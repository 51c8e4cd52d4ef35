"""Plans are made once in the life of a connection, over tables that are empty then: they must hold when those are full."""

import asyncpg

from backbone.ledger import postgres


async def test_places_are_looked_up_by_their_key_although_the_plan_was_made_over_nothing(postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_url, server_settings={"plan_cache_mode": "force_generic_plan"})
    try:
        await connection.execute(f"prepare look (uuid[], int[]) as {postgres._AT}")
        plan = [row[0] for row in await connection.fetch("explain execute look ('{}', '{}')")]
    finally:
        await connection.close()
    assert not [line for line in plan if "Seq Scan" in line], "\n".join(plan)
    assert len([line for line in plan if "Index Scan" in line]) == 4, "\n".join(plan)
