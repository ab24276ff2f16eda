// $keys1 = [':France']
// $relation1 = 'borders'
// $keys2 = [':German']
// $relation2 = 'speaks'
// $relation3 = 'capital of'
CALL () {
  UNWIND $keys1 AS key
  MATCH (x:Entity {id: key})
  WITH x
  MATCH (x)-[:FACT {relation: $relation1}]->(y:Entity)
  WITH DISTINCT y AS x
  RETURN x
UNION
  UNWIND $keys2 AS key
  MATCH (x:Entity {id: key})
  WITH x
  MATCH (x)<-[:FACT {relation: $relation2}]-(y:Entity)
  WITH DISTINCT y AS x
  RETURN x
}
WITH DISTINCT x
MATCH (x)<-[:FACT {relation: $relation3}]-(y:Entity)
RETURN DISTINCT y.id AS id, y.name AS name
ORDER BY name, id
