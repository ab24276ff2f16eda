// $keys1 = [':France']
// $relation1 = 'borders'
UNWIND $keys1 AS key
MATCH (x:Entity {id: key})
WITH x
MATCH (x)-[:FACT {relation: $relation1}]->(y:Entity)
RETURN DISTINCT y.id AS id, y.name AS name
ORDER BY name, id
