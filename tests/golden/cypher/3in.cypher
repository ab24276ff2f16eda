// $keys1 = [':France']
// $relation1 = 'borders'
// $relation2 = 'member of'
// $keys2 = [':NATO']
// $relation3 = 'speaks'
// $keys3 = [':German']
UNWIND $keys1 AS key
MATCH (x:Entity {id: key})
WITH x
MATCH (x)-[:FACT {relation: $relation1}]->(y:Entity)
WITH DISTINCT y AS x
WHERE EXISTS { MATCH (x)-[:FACT {relation: $relation2}]->(y:Entity) WHERE y.id IN $keys2 }
  AND NOT EXISTS { MATCH (x)-[:FACT {relation: $relation3}]->(y:Entity) WHERE y.id IN $keys3 }
RETURN x.id AS id, x.name AS name
ORDER BY name, id
