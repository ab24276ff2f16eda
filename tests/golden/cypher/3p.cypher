// $keys1 = [':France']
// $relation1 = 'borders'
// $relation2 = 'borders'
// $relation3 = 'capital of'
UNWIND $keys1 AS key
MATCH (x:Entity {id: key})
WITH x
MATCH (x)-[:FACT {relation: $relation1}]->(y:Entity)
WITH DISTINCT y AS x
MATCH (x)-[:FACT {relation: $relation2}]->(y:Entity)
WITH DISTINCT y AS x
MATCH (x)<-[:FACT {relation: $relation3}]-(y:Entity)
RETURN DISTINCT y.id AS id, y.name AS name
ORDER BY name, id
